-- Note that one tombstone came with an export: there was never anything of it in this file.
INSERT INTO erasure (memory, run, at, finished_at, origin, alone) VALUES (:id, 0, :at, :at, :origin, :alone)
