-- What matches the query's words, most relevant first.
WITH
/* include matched_by_words */
SELECT id, bm25, relevance FROM relevant ORDER BY bm25 DESC, id DESC
