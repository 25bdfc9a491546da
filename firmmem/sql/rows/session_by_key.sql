-- The session of a client that has one key.
SELECT id, key, namespace, client, host_session, began_at, seen_at, ended_at FROM session
WHERE namespace = :namespace AND client = :client AND key = :key
