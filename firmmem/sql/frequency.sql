-- In how many memories of a shelf each probe occurs, counted no further than just over
-- :most. A probe is [lowest row, highest row, match].
SELECT
    probe.key AS probe,
    (
        SELECT count(*) FROM (
            SELECT 1 FROM memory_words
            WHERE memory_words MATCH json_extract(probe.value, '$[2]')
                AND memory_words.rowid BETWEEN json_extract(probe.value, '$[0]') AND json_extract(probe.value, '$[1]')
            LIMIT :most + 1
        )
    ) AS frequency
FROM json_each(:probes) AS probe
