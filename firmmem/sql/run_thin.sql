-- Drop runs begun :before that have nothing left to be taken back.
DELETE FROM run
WHERE began_at < :before AND ended_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM move INDEXED BY move_by_run WHERE move.run = run.id)
