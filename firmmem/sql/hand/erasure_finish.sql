-- Note that the bytes of what was erased are gone.
UPDATE erasure SET finished_at = :now WHERE finished_at IS NULL
