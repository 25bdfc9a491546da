-- Note what a check of one pin found.
UPDATE pin SET
    checked_at = :now,
    place = :place,
    failed_at = CASE WHEN :cause = '' THEN NULL ELSE coalesce(failed_at, :now) END,
    cause = :cause
WHERE id = :id
