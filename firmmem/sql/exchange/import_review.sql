-- Add one review of an export, unless it is there.
INSERT OR IGNORE INTO review (memory, at, decay, consolidation) VALUES (:memory, :at, :decay, :consolidation)
