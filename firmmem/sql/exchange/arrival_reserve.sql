-- Give no memory that is written from now on an id of :last or below.
UPDATE sqlite_sequence SET seq = max(seq, :last) WHERE name = 'memory'
