-- Let a tier's unreviewed memories fade at another pace.
UPDATE stream SET slope = :slope WHERE id = :id
