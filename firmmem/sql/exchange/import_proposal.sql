-- Add one proposal of an export, unless the same fact was proposed here; a core fact that it became is named.
INSERT OR IGNORE INTO proposal (
    namespace, fact, subject, tags, identity, client, session, at, state, decided_at, memory, replaces
)
VALUES (
    :namespace, :fact, :subject, :tags, :identity, :client, :session, :at, :state, :decided_at,
    (SELECT id FROM memory WHERE id = :memory), (SELECT id FROM memory WHERE id = :replaces)
)
