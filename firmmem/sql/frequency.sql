-- In how many memories of a shelf each probe occurs, counted no further than just over
-- :most. A probe is [lowest row, highest row, match]. MATERIALIZED, because SQLite would otherwise read its bounds from
-- the text of :probes again for each row that matches.
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
        SELECT count(*) FROM (
            SELECT 1 FROM memory_words
            WHERE memory_words MATCH probe.once AND memory_words.rowid BETWEEN probe.lowest AND probe.highest
            LIMIT :most + 1
        )
    ) AS frequency
FROM probe
