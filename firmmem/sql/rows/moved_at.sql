-- When one memory last moved, NULL if never.
SELECT max(at) AS at FROM move WHERE memory = :memory
