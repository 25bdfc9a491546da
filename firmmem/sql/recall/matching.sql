-- The first :most rows that each probe matches, in ascending order. They come as one text, since a result row costs
-- ten times what the index takes to find it.
WITH
/* include probe */
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
