-- Merge up to :pages pages of the parts that writes have left the search index in.
INSERT INTO memory_words (memory_words, rank) VALUES ('merge', :pages)
