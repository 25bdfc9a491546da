-- What matches the query's words, most relevant first.
WITH
/* include matched_by_words */
SELECT id, bm25 FROM matched ORDER BY bm25 DESC, rank_key DESC, id LIMIT :scored
