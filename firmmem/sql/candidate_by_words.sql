-- What matches the query's words, with BM25 in its context as relevance. Only rows whose relevance reaches :bound
-- times that of the :limit-th best can be among the :limit best, so only they are scored.
    WITH
/* include matched_by_words */
    SELECT
        id,
        relevance,
        (SELECT count(*) FROM matched),
        (SELECT max(bm25) FROM matched),
        share,
        NULL
    FROM relevant
    WHERE relevance >= :bound * coalesce(
        (SELECT relevance FROM relevant ORDER BY relevance DESC LIMIT 1 OFFSET :limit - 1), 0.0
    )
