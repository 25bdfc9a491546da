-- The newest injections of a namespace, or of one host's session, newest first.
SELECT
    injection.*,
    session.client,
    session.host_session,
    (SELECT count(*) FROM injected WHERE injected.injection = injection.id AND injected.reason = '') AS given,
    (SELECT count(*) FROM injected WHERE injected.injection = injection.id AND injected.reason <> '') AS withheld
FROM injection
CROSS JOIN session ON session.id = injection.session
WHERE session.namespace = :namespace AND (:session = '' OR session.host_session = :session OR session.key = :session)
ORDER BY injection.id DESC
LIMIT :most + 0
