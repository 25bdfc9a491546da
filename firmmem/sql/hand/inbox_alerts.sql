-- The alerts of one namespace that no person let be as they are.
SELECT *, tier || ' ' || kind || ' ' || memories AS key FROM alert
WHERE namespace = :namespace AND NOT EXISTS (
    SELECT 1 FROM dismissal
    WHERE dismissal.namespace = :namespace AND dismissal.kind = 'alert'
        AND dismissal.key = alert.tier || ' ' || alert.kind || ' ' || alert.memories
)
ORDER BY tier, kind
