-- Keep what a check leaves to a person; one that is there already is brought up to date.
INSERT INTO alert (namespace, tier, kind, run, first_at, at, n, count, memories, reason)
VALUES (:namespace, :tier, :kind, :run, :now, :now, :n, :count, :memories, :reason)
ON CONFLICT (namespace, tier, kind) DO UPDATE SET
    run = excluded.run,
    at = excluded.at,
    n = excluded.n,
    count = excluded.count,
    memories = excluded.memories,
    reason = excluded.reason
