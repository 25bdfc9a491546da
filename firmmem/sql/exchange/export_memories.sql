-- The memories from :first to :last, or those of one namespace, as exported; what an import holds hidden is left out.
SELECT
    memory.id,
    shelf.namespace,
    shelf.state,
    shelf.branch,
    memory.tier,
    coalesce(goal.name, '') AS goal,
    memory.subject,
    memory.summary,
    memory.tags,
    memory.source,
    memory.importance,
    memory.initial_trust,
    memory.trust,
    memory.consolidation,
    memory.recall_count,
    memory.strength,
    memory.created_at,
    memory.reviewed_at,
    memory.state_at,
    memory.state_cause,
    memory.state_reason,
    memory.superseded_by,
    memory.supersedes,
    coalesce(session.key, '') AS session,
    memory.identity
FROM memory
JOIN shelf ON shelf.id = memory.shelf
LEFT JOIN goal ON goal.id = memory.goal
LEFT JOIN session ON session.id = memory.session
WHERE memory.id BETWEEN :first AND :last AND (:namespace = '' OR shelf.namespace = :namespace)
    AND substr(shelf.branch, 1, 1) <> char(31)
ORDER BY memory.id
