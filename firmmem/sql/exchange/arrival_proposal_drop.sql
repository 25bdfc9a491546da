-- Drop a proposal.
DELETE FROM proposal WHERE id = :id
