-- What matches the query's words, with BM25 as relevance: 1 for the best. Only rows whose relevance reaches :bound
-- times that of the :limit-th best can be among the :limit best, so only they are scored; of very many that are
-- about as relevant, the :scored most.
    WITH
/* include matched_by_words */
    SELECT
        id,
        bm25 / (SELECT max(bm25) FROM matched),
        (SELECT count(*) FROM matched),
        (SELECT max(bm25) FROM matched),
        bm25 / (SELECT max(bm25) FROM matched),
        NULL
    FROM matched
    WHERE bm25 >= :bound * coalesce((SELECT bm25 FROM matched ORDER BY bm25 DESC LIMIT 1 OFFSET :limit - 1), 0.0)
    ORDER BY bm25 DESC, rank_key DESC, id
    LIMIT :scored
