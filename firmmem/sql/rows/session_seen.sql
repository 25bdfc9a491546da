-- Note that a session goes on, and which process is in it.
UPDATE session
SET seen_at = max(seen_at, :now), process = CASE process WHEN '' THEN :process ELSE process END
WHERE id = :id
