-- The first :most rows that each probe matches, in ascending order. A probe is [lowest row, highest row, match];
-- MATERIALIZED as in frequency.sql. They come as one text, since a result row costs ten times what the index takes to
-- find it.
WITH probe AS MATERIALIZED (
    SELECT
        key,
        json_extract(value, '$[0]') AS lowest,
        json_extract(value, '$[1]') AS highest,
        json_extract(value, '$[2]') AS once
    FROM json_each(:probes)
)
SELECT
    probe.key AS probe,
    (
        SELECT json_group_array(rowid) FROM (
            SELECT memory_words.rowid FROM memory_words
            WHERE memory_words MATCH probe.once AND memory_words.rowid BETWEEN probe.lowest AND probe.highest
            ORDER BY memory_words.rowid
            LIMIT :most + 0
        )
    ) AS found
FROM probe
