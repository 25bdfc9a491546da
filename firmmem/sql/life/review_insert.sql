-- Log a review: when, what was left just before, and how firmly the memory held after.
INSERT OR IGNORE INTO review (memory, at, decay, consolidation) VALUES (:memory, :at, :decay, :consolidation)
