-- The :limit best on :shelves without a query, and the few more that may be as good: exact, without a scan.
-- Between reviews ln(score) falls in a straight line of slope −1/half_life. A row's rank_key is
-- ln(F × M × trust) + slope × days(reviewed_at), with the smallest slope of its stream, so that
-- rank_key − slope × :day is at no moment below its ln(score), and the order inside a stream holds until a row is
-- written. `queue` merges the streams by this bound, best first (ORDER BY makes a recursive CTE a priority queue,
-- and only with a LIMIT). The :limit-th score among its first rows is the threshold: what has no higher bound
-- can't rank above them. Joins say IN for =, here and in the other statements that rank: once ANALYZE was run, SQLite
-- 3.38 to 3.40 would build a Bloom filter for =, of all memories.
    WITH RECURSIVE head AS MATERIALIZED (
        SELECT place.value AS shelf, stream.id AS stream, stream.slope, memory.rank_key, memory.id
        FROM json_each(:shelves) AS place
        CROSS JOIN stream ON stream.id BETWEEN :first_stream AND :last_stream
        CROSS JOIN memory ON memory.id IN (
            SELECT best.id FROM memory AS best INDEXED BY memory_by_stream
            WHERE best.shelf = place.value AND best.stream = stream.id
            ORDER BY best.rank_key DESC, best.id LIMIT 1
        )
    ),
    queue (shelf, stream, slope, rank_key, id, bound) AS NOT MATERIALIZED (
        SELECT shelf, stream, slope, rank_key, id, rank_key - slope * :day FROM head
        UNION ALL
        SELECT queue.shelf, queue.stream, queue.slope, memory.rank_key, memory.id,
            memory.rank_key - queue.slope * :day
        FROM queue
        CROSS JOIN memory ON memory.id = coalesce(
            (
                SELECT equal.id FROM memory AS equal INDEXED BY memory_by_stream
                WHERE equal.shelf = queue.shelf AND equal.stream = queue.stream
                    AND equal.rank_key = queue.rank_key AND equal.id > queue.id
                ORDER BY equal.id LIMIT 1
            ),
            (
                SELECT lower.id FROM memory AS lower INDEXED BY memory_by_stream
                WHERE lower.shelf = queue.shelf AND lower.stream = queue.stream AND lower.rank_key < queue.rank_key
                ORDER BY lower.rank_key DESC, lower.id LIMIT 1
            )
        )
        ORDER BY 6 DESC
        LIMIT :pops + 0
    ),
    first AS MATERIALIZED (
        SELECT
            memory.id,
            memory.rank_key - queue.slope * (memory.reviewed_at - :epoch) / 86400.0
                - max(0.0, :now - memory.reviewed_at) / 86400.0 / memory.half_life AS log_score
        FROM queue
        CROSS JOIN memory ON memory.id IN (queue.id)
        WHERE memory.created_at >= :since AND memory.created_at < :until
            AND /* include tagged */
        LIMIT :limit + 0
    ),
    threshold (log_score) AS MATERIALIZED (
        SELECT CASE WHEN count(*) < :limit THEN -1e300 ELSE min(log_score) END FROM first
    )
    SELECT id, 1.0, 1.0, NULL FROM first
    UNION
    SELECT memory.id, 1.0, 1.0, NULL
    FROM head
    CROSS JOIN memory INDEXED BY memory_by_stream
        ON memory.shelf IN (head.shelf) AND memory.stream IN (head.stream)
        AND memory.rank_key > (SELECT log_score FROM threshold) + head.slope * :day + 1e-9
    WHERE memory.created_at >= :since AND memory.created_at < :until
        AND /* include tagged */
