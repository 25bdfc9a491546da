-- In how many memories of a shelf each probe occurs, counted no further than just over
-- :most.
WITH
/* include probe */
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
