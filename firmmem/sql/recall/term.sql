-- How many memories of a shelf have each term, counted no further than :most, oldest first, with the
-- newest of the rows counted and their mean.
WITH
/* include probe */
SELECT
    probe.key AS probe,
    (
        SELECT json_array(count(*), max(rowid), avg(rowid)) FROM (
            SELECT memory_words.rowid FROM memory_words
            WHERE memory_words MATCH probe.once AND memory_words.rowid BETWEEN probe.lowest AND probe.highest
            ORDER BY memory_words.rowid
            LIMIT :most + 0
        )
    ) AS counted
FROM probe
