-- Those of some memories that came back from quarantine and that nobody has voted against since.
WITH released (id, at) AS (
    SELECT back.memory, max(back.at) FROM json_each(:ids) AS wanted
    CROSS JOIN move AS back ON back.memory = wanted.value
    CROSS JOIN shelf ON shelf.id = back.from_shelf
    WHERE shelf.state = 'quarantined'
    GROUP BY back.memory
)
SELECT id FROM released
WHERE NOT EXISTS (
    SELECT 1 FROM vote
    WHERE vote.memory = released.id AND vote.outcome = 'negative' AND vote.at > released.at
        AND NOT EXISTS (SELECT 1 FROM revocation WHERE revocation.vote = vote.id)
)
