-- How many prompts a host's session has had since it wrote a memory.
SELECT count(*) AS prompts
FROM session
CROSS JOIN injection ON injection.session IN (session.id) AND injection.event = 'prompt'
WHERE session.namespace = :namespace AND session.client = :client AND session.host_session = :host_session
    AND injection.at > coalesce(
        (
            SELECT max(memory.created_at)
            FROM session AS same
            CROSS JOIN memory ON memory.session IN (same.id)
            WHERE same.namespace = :namespace AND same.client = :client AND same.host_session = :host_session
        ),
        0.0
    )
