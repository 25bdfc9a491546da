-- One proposal.
SELECT * FROM proposal WHERE id = :id
