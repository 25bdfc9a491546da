-- Store one session of an export, or stretch the same one here over both.
INSERT INTO session (namespace, client, key, process, host_session, began_at, seen_at, ended_at)
VALUES (:namespace, :client, :key, :process, :host_session, :began_at, max(:began_at, :seen_at), :ended_at)
ON CONFLICT (namespace, client, key) DO UPDATE SET
    began_at = min(began_at, excluded.began_at),
    seen_at = max(seen_at, excluded.seen_at),
    ended_at = coalesce(max(ended_at, excluded.ended_at), ended_at, excluded.ended_at)
