-- How much waits for a person in one namespace, apart from conflicts.
SELECT
    (SELECT count(*) FROM proposal WHERE namespace = :namespace AND state = 'waiting') AS proposals,
    (
        SELECT coalesce(sum(core + strategic + validated + draft), 0) FROM shelf
        WHERE namespace = :namespace AND state = 'quarantined'
    ) AS quarantines,
    (SELECT count(*) FROM pin INDEXED BY pin_failed WHERE namespace = :namespace AND failed_at IS NOT NULL) AS pins
