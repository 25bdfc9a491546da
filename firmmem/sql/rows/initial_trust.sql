-- Let one memory's votes fold from the trust of a higher tier.
UPDATE memory SET initial_trust = :initial_trust WHERE id = :id
