-- Count writes that were refused, or that the file could not take, for one reason.
INSERT INTO refusal (word, reason, times, last_at) VALUES (:word, :reason, :times, :last_at)
ON CONFLICT (word, reason) DO UPDATE SET
    times = times + excluded.times,
    last_at = max(last_at, excluded.last_at)
