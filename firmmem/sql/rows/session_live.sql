-- The session that a caller is in: seen since :seen_since and not ended. A hook names its host's session; a server's
-- process has joined one, or joins what a hook of its client has begun.
SELECT id, key FROM session INDEXED BY session_by_caller
WHERE namespace = :namespace AND client = :client AND seen_at >= :seen_since AND ended_at IS NULL
    AND CASE WHEN :host_session <> '' THEN host_session = :host_session
        ELSE process = :process OR (process = '' AND host_session <> '')
    END
ORDER BY began_at DESC, id DESC
LIMIT 1
