-- Empty what the ledger of changes keeps of one memory.
UPDATE change SET was = '{}' WHERE memory = :id
