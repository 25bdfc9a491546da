-- How many memories of a shelf have each term, counted no further than :most, oldest first, with the
-- newest of the rows counted and their mean. A probe is [lowest row, highest row, match].
SELECT
    probe.key AS probe,
    (
        SELECT json_array(count(*), max(rowid), avg(rowid)) FROM (
            SELECT memory_words.rowid FROM memory_words
            WHERE memory_words MATCH json_extract(probe.value, '$[2]')
                AND memory_words.rowid BETWEEN json_extract(probe.value, '$[0]') AND json_extract(probe.value, '$[1]')
            ORDER BY memory_words.rowid
            LIMIT :most + 0
        )
    ) AS counted
FROM json_each(:probes) AS probe
