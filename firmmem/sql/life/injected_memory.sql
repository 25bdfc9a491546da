-- The injections in which one memory was looked at, oldest first.
SELECT injected.*, injection.at, injection.host, injection.event, injection.gate, injection.budget,
    injection.strength, injection.source,
    session.client, session.host_session
FROM injected
CROSS JOIN injection ON injection.id = injected.injection
CROSS JOIN session ON session.id = injection.session
WHERE injected.memory = :memory
ORDER BY injection.id
