-- The latest reviews of one memory.
SELECT at, decay, consolidation FROM review WHERE memory = :memory ORDER BY at
