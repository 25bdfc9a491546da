-- Keep the latest :most reviews of one memory in the log.
DELETE FROM review
WHERE memory = :memory AND at <= (
    SELECT at FROM review WHERE memory = :memory ORDER BY at DESC LIMIT 1 OFFSET :most
)
