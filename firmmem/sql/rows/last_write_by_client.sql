-- When a client last wrote or voted, by what its name begins with: the newest memory and vote that name it.
SELECT max(coalesce(written, 0.0), coalesce(voted, 0.0)) AS at
FROM (
    SELECT
        (SELECT created_at FROM memory WHERE lower(source) GLOB :client ORDER BY id DESC LIMIT 1) AS written,
        (SELECT at FROM vote WHERE lower(client) GLOB :client ORDER BY id DESC LIMIT 1) AS voted
)
WHERE written IS NOT NULL OR voted IS NOT NULL
