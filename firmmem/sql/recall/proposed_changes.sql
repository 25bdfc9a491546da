-- Which of these core facts a waiting proposal would replace, and the newest such proposal of each.
SELECT proposal.replaces AS id, max(proposal.id) AS proposal
FROM json_each(:ids) AS wanted
CROSS JOIN proposal INDEXED BY proposal_by_replaces
    ON proposal.replaces = wanted.value AND proposal.replaces IS NOT NULL AND proposal.state = 'waiting'
GROUP BY proposal.replaces
