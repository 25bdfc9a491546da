-- Every session, or those of one namespace, oldest first.
SELECT namespace, client, key, process, host_session, began_at, seen_at, ended_at FROM session
WHERE :namespace = '' OR namespace = :namespace
ORDER BY id
