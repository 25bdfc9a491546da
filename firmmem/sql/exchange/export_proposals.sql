-- Every core fact that waits or waited for a person, or those of one namespace.
SELECT namespace, fact, subject, tags, client, session, at, state, decided_at, memory, replaces FROM proposal
WHERE :namespace = '' OR namespace = :namespace
ORDER BY id
