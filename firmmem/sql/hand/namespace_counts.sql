-- Every namespace that has memories, with how many are in use and how many there are.
SELECT
    namespace,
    sum(CASE WHEN state = 'active' THEN core + strategic + validated + draft ELSE 0 END) AS active,
    sum(core + strategic + validated + draft) AS size
FROM shelf
GROUP BY namespace
HAVING size > 0
ORDER BY namespace
