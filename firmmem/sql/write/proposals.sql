-- One namespace's proposals, oldest first, with the text of the core fact that each would replace: those that wait, or
-- every one.
SELECT proposal.*, coalesce(memory.summary, '') AS replaced
FROM proposal
LEFT JOIN memory ON memory.id = proposal.replaces
WHERE proposal.namespace = :namespace AND (:everything OR proposal.state = 'waiting')
ORDER BY proposal.id
