-- How many of the memories with these ids are in each state.
SELECT shelf.state, count(*) AS count
FROM json_each(:ids) AS wanted
CROSS JOIN memory ON memory.id = wanted.value
JOIN shelf ON shelf.id = memory.shelf
GROUP BY shelf.state
ORDER BY shelf.state
