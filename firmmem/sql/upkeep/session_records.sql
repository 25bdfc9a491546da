-- The next sessions above the id :after, each with whether nothing needs it any more: it was last seen before :before,
-- wrote nothing that is kept, was given nothing by a hook, and its process has begun no later one.
SELECT
    id,
    seen_at < :before AND host_session = ''
        AND NOT EXISTS (SELECT 1 FROM memory WHERE memory.session = session.id AND memory.session IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM injection WHERE injection.session = session.id)
        AND NOT EXISTS (
            SELECT 1 FROM session AS later INDEXED BY session_by_caller
            WHERE later.namespace = session.namespace AND later.client = session.client
                AND later.seen_at > session.seen_at AND later.process = session.process
        ) AS spare
FROM session
WHERE id > :after
ORDER BY id
LIMIT :chunk + 0
