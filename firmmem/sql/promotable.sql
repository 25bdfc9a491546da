-- Drafts of main memory that have earned enough trust and reviews, but for those of which a person undid it.
SELECT memory.* FROM shelf
CROSS JOIN memory INDEXED BY memory_by_promotion
    ON memory.shelf = shelf.id AND memory.tier = 'draft' AND memory.recall_count > 0 AND memory.trust >= :trust
WHERE shelf.state = 'active' AND shelf.branch = '' AND shelf.draft > 0 AND memory.recall_count >= :reviews
    AND NOT EXISTS (
        SELECT 1 FROM move WHERE move.memory = memory.id AND move.at > :undone_since AND move.cause = 'undone'
    )
LIMIT :chunk
