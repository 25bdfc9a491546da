-- Let the next superseded memories of an import refer to themselves, so that they can go in any order.
UPDATE memory SET superseded_by = id
WHERE id IN (
    SELECT id FROM memory
    WHERE id BETWEEN :from AND :last AND superseded_by <> id AND superseded_by BETWEEN :first AND :last
    ORDER BY id
    LIMIT :most + 0
)
