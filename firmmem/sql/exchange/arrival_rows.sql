-- The next memories of an import, and whether each was voted on or moved since, or another came to refer to it.
SELECT
    memory.id,
    memory.tier,
    memory.shelf,
    shelf.state,
    shelf.branch,
    shelf.namespace,
    memory.state_reason = :written_too
    OR EXISTS (SELECT 1 FROM vote WHERE vote.memory = memory.id AND vote.id > :votes_to)
    OR EXISTS (SELECT 1 FROM move WHERE move.memory = memory.id AND move.id > :moves_to AND move.run IS NULL)
    OR EXISTS (
        SELECT 1 FROM memory AS earlier
        WHERE earlier.superseded_by = memory.id AND earlier.id NOT BETWEEN :first AND :last
    ) AS lived
FROM memory
JOIN shelf ON shelf.id = memory.shelf
WHERE memory.id BETWEEN :from AND :last
ORDER BY memory.id
LIMIT :most + 0
