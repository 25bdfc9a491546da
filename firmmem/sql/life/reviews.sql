-- The logged reviews of one memory, oldest first.
SELECT at, decay, consolidation FROM review WHERE memory = :memory ORDER BY at
