-- Let as few as :parts parts of the search index that are about as large as each other be merged; kept in the file.
INSERT INTO memory_words (memory_words, rank)
SELECT 'usermerge', :parts
WHERE NOT EXISTS (SELECT 1 FROM memory_words_config WHERE k = 'usermerge' AND v = :parts)
