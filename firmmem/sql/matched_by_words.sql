-- What of :hits and :spans matches: `matched` (id, bm25, unasked), by BM25 (Robertson and Zaragoza 2009, section 3),
-- and the :scored best of it and their neighbours as `relevant` (id, share of the best BM25, that share in its context
-- as relevance, bm25).
-- Each hit is [lowest row, highest row, weight, match, match of repeated words, match beside the best]: a term in one
-- shelf. Term counts above 2 count as 2; FTS5's own bm25() would count every other namespace's words too.
-- Each of :spans is [first moment, first moment after it, weight, 1 where it is asked for beside the words]: what was
-- written in it matches by its date; `unasked` is what the other spans add to BM25.
-- Only the :read rows with most of the terms are read, whatever their length, and the :reach rows before and after the
-- :leading first of them that have any term: what was written just before and after is a memory's context, each of
-- :context is [distance in ids, weight].
    term AS MATERIALIZED (
        SELECT
            json_extract(value, '$[0]') AS lowest,
            json_extract(value, '$[1]') AS highest,
            json_extract(value, '$[2]') AS weight,
            json_extract(value, '$[3]') AS once,
            json_extract(value, '$[4]') AS again,
            json_extract(value, '$[5]') AS beside
        FROM json_each(:hits)
    ),
    span AS MATERIALIZED (
        SELECT
            json_extract(value, '$[0]') AS first,
            json_extract(value, '$[1]') AS after,
            json_extract(value, '$[2]') AS weight,
            json_extract(value, '$[3]') AS asked
        FROM json_each(:spans)
    ),
    hit AS (
        SELECT memory_words.rowid AS search_id, term.weight AS once, 0.0 AS again, 0.0 AS dated
        FROM term
        CROSS JOIN memory_words
            ON memory_words MATCH term.once AND memory_words.rowid BETWEEN term.lowest AND term.highest
        UNION ALL
        SELECT memory_words.rowid, 0.0, term.weight, 0.0
        FROM term
        CROSS JOIN memory_words
            ON memory_words MATCH term.again AND memory_words.rowid BETWEEN term.lowest AND term.highest
        WHERE term.again <> ''
        UNION ALL
        SELECT * FROM (
            SELECT memory.search_id, 0.0, 0.0, span.weight
            FROM span
            CROSS JOIN json_each(:shelves) AS shelf
            CROSS JOIN memory INDEXED BY memory_by_created_at
                ON memory.shelf = shelf.value AND memory.created_at >= span.first AND memory.created_at < span.after
            LIMIT :dated + 0
        )
    ),
    gathered AS MATERIALIZED (
        SELECT search_id, sum(once) AS once, sum(again) AS again, sum(once + again + dated) AS rough
        FROM hit
        GROUP BY search_id
        ORDER BY rough DESC, search_id DESC
        LIMIT :read + 0
    ),
    leading AS MATERIALIZED (
        SELECT search_id FROM gathered ORDER BY rough DESC, search_id DESC LIMIT :leading + 0
    ),
    neighbour AS (
        SELECT DISTINCT memory_words.rowid AS search_id, term.beside, term.weight
        FROM term
        CROSS JOIN leading
        CROSS JOIN memory_words
            ON memory_words MATCH term.beside
            AND memory_words.rowid BETWEEN max(term.lowest, leading.search_id - :reach)
                AND min(term.highest, leading.search_id + :reach)
        WHERE term.beside <> ''
    ),
    met AS (
        SELECT search_id, once, again FROM gathered
        UNION ALL
        SELECT search_id, sum(weight), 0.0
        FROM neighbour
        WHERE search_id NOT IN (SELECT search_id FROM gathered)
        GROUP BY search_id
    ),
    sized AS (
        SELECT
            memory.id,
            memory.search_id,
            memory.created_at,
            met.once,
            met.again,
            CASE WHEN :spans = '[]' THEN 0.0 ELSE (
                SELECT total(weight) FROM span
                WHERE memory.created_at >= span.first AND memory.created_at < span.after
            ) END AS written,
            CASE WHEN :spans = '[]' THEN 0.0 ELSE (
                SELECT total(weight) FROM span
                WHERE NOT asked AND memory.created_at >= span.first AND memory.created_at < span.after
            ) END AS unasked,
            :k1 * (1.0 - :b + :b * memory.length / :mean_length) AS damping
        FROM met
        CROSS JOIN memory ON memory.search_id = met.search_id
        WHERE memory.tier IN (SELECT value FROM json_each(:tiers))
            AND memory.created_at >= :since AND memory.created_at < :until
            AND (:tags = '[]' OR EXISTS (
                SELECT 1 FROM json_each(:tags) AS tag
                CROSS JOIN memory_tag
                    ON memory_tag.shelf = memory.search_id >> 40
                    AND memory_tag.tag = tag.value AND memory_tag.memory = memory.id
            ))
    ),
    matched AS MATERIALIZED (
        SELECT
            id,
            search_id,
            created_at,
            once * (:k1 + 1.0) / (1.0 + damping)
                + again * (2.0 * (:k1 + 1.0) / (2.0 + damping) - (:k1 + 1.0) / (1.0 + damping))
                + written AS bm25,
            unasked
        FROM sized
    ),
    foremost AS MATERIALIZED (
        SELECT * FROM matched ORDER BY bm25 DESC, id DESC LIMIT :scored + 0
    ),
    place AS MATERIALIZED (
        SELECT json_extract(value, '$[0]') AS distance, json_extract(value, '$[1]') AS weight FROM json_each(:context)
    ),
    kept AS MATERIALIZED (
        SELECT * FROM foremost
        UNION
        SELECT matched.*
        FROM foremost
        CROSS JOIN place
        CROSS JOIN matched
            ON matched.search_id = foremost.search_id + place.distance
            AND abs(matched.created_at - foremost.created_at) <= :context_seconds
    ),
    supported AS (
        SELECT kept.id, sum(place.weight * beside.bm25) AS support
        FROM kept
        CROSS JOIN place
        CROSS JOIN matched AS beside
            ON beside.search_id = kept.search_id + place.distance
            AND abs(beside.created_at - kept.created_at) <= :context_seconds
        GROUP BY kept.id
    ),
    relevant AS MATERIALIZED (
        SELECT
            kept.id,
            bm25 / best AS share,
            CASE WHEN support > 0 THEN in_context(bm25 / best, support / best) ELSE bm25 / best END AS relevance,
            bm25
        FROM (SELECT max(bm25) AS best FROM matched)
        CROSS JOIN kept
        LEFT JOIN supported ON supported.id = kept.id
    )
