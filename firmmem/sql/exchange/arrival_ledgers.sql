-- The entries that one memory has in each ledger, as JSON lists of what tells them apart.
SELECT
    (SELECT json_group_array(id) FROM vote WHERE memory = :id) AS vote,
    (
        SELECT json_group_array(vote) FROM revocation WHERE vote IN (SELECT id FROM vote WHERE memory = :id)
    ) AS revocation,
    (SELECT json_group_array(id) FROM move WHERE memory = :id) AS move,
    (SELECT json_group_array(id) FROM quarantine WHERE memory = :id) AS quarantine,
    (SELECT json_group_array(decay || ' ' || consolidation) FROM review WHERE memory = :id) AS review,
    (SELECT json_group_array(other) FROM conflict WHERE memory = :id) AS conflict
