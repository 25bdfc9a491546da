-- Count how often memories were shown.
INSERT INTO exposure (memory, times, last_at)
SELECT memory.id, json_extract(shown.value, '$[1]'), json_extract(shown.value, '$[2]')
FROM json_each(:shown) AS shown
CROSS JOIN memory ON memory.id = json_extract(shown.value, '$[0]')
WHERE true
ON CONFLICT (memory) DO UPDATE SET times = times + excluded.times, last_at = max(last_at, excluded.last_at)
