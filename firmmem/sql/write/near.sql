-- The memories of these ids that lie among some rows of the search index.
SELECT memory.id, memory.tier, memory.subject, memory.created_at, memory.summary, memory.words
FROM json_each(:ids) AS wanted
CROSS JOIN memory ON memory.id = wanted.value AND memory.search_id BETWEEN :lowest AND :highest
