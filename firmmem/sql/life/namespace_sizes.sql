-- How many memories each namespace has in use, and how many were forgotten there from :since until :now.
SELECT
    shelf.namespace,
    sum(shelf.core + shelf.strategic + shelf.validated + shelf.draft) AS size,
    (
        SELECT count(*) FROM move INDEXED BY move_by_forgetting
        CROSS JOIN shelf AS place ON place.id = move.from_shelf
        WHERE move.cause = 'forgotten' AND move.at > :since AND move.at <= :now
            AND place.namespace = shelf.namespace
    ) AS forgotten
FROM shelf
WHERE shelf.state = 'active'
GROUP BY shelf.namespace
