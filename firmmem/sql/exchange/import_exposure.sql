-- Let one memory have been shown at least as often as an export says.
INSERT INTO exposure (memory, times, last_at) VALUES (:memory, :times, :last_at)
ON CONFLICT (memory) DO UPDATE SET times = max(times, excluded.times), last_at = max(last_at, excluded.last_at)
