-- Whether a host's session was asked to write what should last.
SELECT injection.id
FROM session
CROSS JOIN injection ON injection.session IN (session.id) AND injection.asked = 1
WHERE session.namespace = :namespace AND session.client = :client AND session.host_session = :host_session
LIMIT 1
