-- The :limit best on :shelves for one goal without a query, and the few more that may be as good.
-- As candidate_by_stream.sql, with two families of streams in one queue: those of the goal (kind 0), and all
-- memories (kind 1), whose scores are lower by the logarithm of the alignment of other goals. One bound for both
-- would have to be the goal's, and let far too much through.
    WITH RECURSIVE head AS MATERIALIZED (
        SELECT 0 AS kind, place.value AS shelf, stream.id AS stream, stream.slope, memory.rank_key, memory.id
        FROM json_each(:shelves) AS place
        CROSS JOIN stream ON stream.id BETWEEN :first_stream AND :last_stream
        CROSS JOIN memory ON memory.id IN (
            SELECT best.id FROM memory AS best INDEXED BY memory_by_goal_stream
            WHERE best.shelf = place.value AND best.goal = :goal AND best.goal <> 0 AND best.stream = stream.id
            ORDER BY best.rank_key DESC, best.id LIMIT 1
        )
        UNION ALL
        SELECT 1, place.value, stream.id, stream.slope, memory.rank_key, memory.id
        FROM json_each(:shelves) AS place
        CROSS JOIN stream ON stream.id BETWEEN :first_stream AND :last_stream
        CROSS JOIN memory ON memory.id IN (
            SELECT best.id FROM memory AS best INDEXED BY memory_by_stream
            WHERE best.shelf = place.value AND best.stream = stream.id
            ORDER BY best.rank_key DESC, best.id LIMIT 1
        )
    ),
    queue (kind, shelf, stream, slope, rank_key, id, bound) AS NOT MATERIALIZED (
        SELECT kind, shelf, stream, slope, rank_key, id, rank_key - slope * :day + kind * :log_other_goal FROM head
        UNION ALL
        SELECT 0, queue.shelf, queue.stream, queue.slope, memory.rank_key, memory.id,
            memory.rank_key - queue.slope * :day
        FROM queue
        CROSS JOIN memory ON queue.kind = 0 AND memory.id = coalesce(
            (
                SELECT equal.id FROM memory AS equal INDEXED BY memory_by_goal_stream
                WHERE equal.shelf = queue.shelf AND equal.goal = :goal AND equal.goal <> 0
                    AND equal.stream = queue.stream AND equal.rank_key = queue.rank_key AND equal.id > queue.id
                ORDER BY equal.id LIMIT 1
            ),
            (
                SELECT lower.id FROM memory AS lower INDEXED BY memory_by_goal_stream
                WHERE lower.shelf = queue.shelf AND lower.goal = :goal AND lower.goal <> 0
                    AND lower.stream = queue.stream AND lower.rank_key < queue.rank_key
                ORDER BY lower.rank_key DESC, lower.id LIMIT 1
            )
        )
        UNION ALL
        SELECT 1, queue.shelf, queue.stream, queue.slope, memory.rank_key, memory.id,
            memory.rank_key - queue.slope * :day + :log_other_goal
        FROM queue
        CROSS JOIN memory ON queue.kind = 1 AND memory.id = coalesce(
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
        ORDER BY 7 DESC
        LIMIT :pops + 0
    ),
    first AS MATERIALIZED (
        SELECT
            memory.id,
            memory.rank_key - queue.slope * (memory.reviewed_at - :epoch) / 86400.0
                - max(0.0, :now - memory.reviewed_at) / 86400.0 / memory.half_life
                + queue.kind * :log_other_goal AS log_score
        FROM queue
        CROSS JOIN memory ON memory.id IN (queue.id) AND (queue.kind = 0 OR memory.goal <> :goal)
        WHERE memory.created_at >= :since AND memory.created_at < :until
            AND /* include tagged */
        LIMIT :limit + 0
    ),
    threshold (log_score) AS MATERIALIZED (
        SELECT CASE WHEN count(*) < :limit THEN -1e300 ELSE min(log_score) END FROM first
    ),
    better AS (
        SELECT memory.id, memory.shelf, memory.created_at
        FROM head
        CROSS JOIN memory INDEXED BY memory_by_goal_stream
            ON memory.shelf IN (head.shelf) AND memory.goal IN (SELECT :goal) AND memory.goal <> 0
            AND memory.stream IN (head.stream)
            AND memory.rank_key > (SELECT log_score FROM threshold) + head.slope * :day + 1e-9
        WHERE head.kind = 0
        UNION ALL
        SELECT memory.id, memory.shelf, memory.created_at
        FROM head
        CROSS JOIN memory INDEXED BY memory_by_stream
            ON memory.shelf IN (head.shelf) AND memory.stream IN (head.stream)
            AND memory.rank_key > (SELECT log_score FROM threshold) + head.slope * :day - :log_other_goal + 1e-9
            AND memory.goal <> :goal
        WHERE head.kind = 1
    )
    SELECT id, 1.0, 1.0, NULL FROM first
    UNION
    SELECT id, 1.0, 1.0, NULL FROM better AS memory
    WHERE created_at >= :since AND created_at < :until
        AND /* include tagged */
