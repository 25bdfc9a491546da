-- One proposal of one namespace, with the text of the core fact that it would replace.
SELECT proposal.*, coalesce(memory.summary, '') AS replaced
FROM proposal
LEFT JOIN memory ON memory.id = proposal.replaces
WHERE proposal.id = :id AND proposal.namespace = :namespace
