-- Drop what an import wrote down of one memory before it joined the two.
DELETE FROM arrival_change WHERE kind = 'memory' AND changed = :id
