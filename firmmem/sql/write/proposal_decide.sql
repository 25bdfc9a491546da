-- Note what a person decided, on a connection that works for one.
UPDATE proposal SET state = :state, decided_at = :now, memory = :memory WHERE id = :id
