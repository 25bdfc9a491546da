-- Have a stream for a memory about to be written.
INSERT OR IGNORE INTO stream (id, slope) VALUES (:id, :slope)
