-- Add that two memories seemed to contradict each other, unless it is known.
INSERT OR IGNORE INTO conflict (memory, other) VALUES (:memory, :other)
