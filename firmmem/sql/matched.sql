-- What matches the query's words, most relevant first.
WITH
/* include matched_by_words */
SELECT id, relevance, (SELECT max(bm25 - unasked) FROM matched) AS best FROM relevant ORDER BY bm25 DESC, id DESC
