-- Pairs of memories in main memory that are about one subject: they are of different tiers, else one had superseded
-- the other.
SELECT firmer.id AS id, weaker.id AS other, firmer.subject
FROM shelf
CROSS JOIN memory AS firmer INDEXED BY memory_by_subject ON firmer.shelf = shelf.id AND firmer.subject_key <> ''
CROSS JOIN memory AS weaker INDEXED BY memory_by_subject
    ON weaker.shelf = firmer.shelf AND weaker.subject_key = firmer.subject_key AND weaker.subject_key <> ''
    AND weaker.id > firmer.id
WHERE shelf.namespace = :namespace AND shelf.state = 'active' AND shelf.branch = ''
ORDER BY firmer.id, weaker.id
LIMIT :most
