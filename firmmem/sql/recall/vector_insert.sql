-- Store the vector of a memory whose text is still the one that was embedded.
INSERT OR REPLACE INTO vector (memory, encoder, shelf, language, packed)
SELECT memory.id, :encoder, memory.shelf, :language, :packed
FROM memory WHERE memory.id = :memory AND memory.summary = :text
