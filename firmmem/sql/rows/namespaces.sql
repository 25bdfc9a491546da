-- Every namespace that holds memories, with how many are in each state.
SELECT
    namespace,
    sum((core + strategic + validated + draft) * (state = 'active')) AS active,
    sum((core + strategic + validated + draft) * (state = 'archived')) AS archived,
    sum((core + strategic + validated + draft) * (state = 'superseded')) AS superseded,
    sum((core + strategic + validated + draft) * (state = 'quarantined')) AS quarantined
FROM shelf
GROUP BY namespace
HAVING sum(core + strategic + validated + draft) > 0
ORDER BY active DESC, namespace
