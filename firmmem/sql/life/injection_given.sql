-- The memories that a host's session was given since its context was last lost.
SELECT DISTINCT injected.memory
FROM session
CROSS JOIN injection ON injection.session IN (session.id)
CROSS JOIN injected ON injected.injection IN (injection.id) AND injected.reason = ''
WHERE session.namespace = :namespace AND session.client = :client AND session.host_session = :host_session
    AND session.host_session <> ''
    AND injection.id >= coalesce(
        (
            SELECT max(reset.id)
            FROM session AS same
            CROSS JOIN injection AS reset ON reset.session IN (same.id) AND reset.lost = 1
            WHERE same.namespace = :namespace AND same.client = :client AND same.host_session = :host_session
        ),
        0
    )
