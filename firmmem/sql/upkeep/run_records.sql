-- The next runs begun :before, after :after, each with whether it has nothing left to be taken back.
SELECT
    run.id,
    run.ended_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM move INDEXED BY move_by_run WHERE move.run = run.id)
        AND NOT EXISTS (SELECT 1 FROM change WHERE change.run = run.id) AS spare
FROM run
WHERE run.id > :after AND run.began_at < :before
ORDER BY run.id
LIMIT :chunk + 0
