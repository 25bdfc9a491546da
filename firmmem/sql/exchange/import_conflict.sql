-- Add that two memories seemed to contradict each other, unless it is known, or one of them is not here.
INSERT OR IGNORE INTO conflict (memory, other)
SELECT :memory, id FROM memory WHERE id = :other
