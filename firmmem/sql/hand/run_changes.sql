-- What a person changed in one run, the last first, each with whether the same memory was changed again since.
SELECT
    change.*,
    EXISTS (
        SELECT 1 FROM change AS later
        JOIN run ON run.id = later.run
        WHERE later.memory = change.memory AND later.id > change.id AND later.run <> change.run
            AND later.kind = 'edited' AND run.undone_at IS NULL
    ) AS edited_since
FROM change
WHERE change.run = :run
ORDER BY change.id DESC
