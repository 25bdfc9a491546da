-- Keep one record a day of what is older than :hourly_since.
DELETE FROM statistic
WHERE at < :hourly_since AND EXISTS (
    SELECT 1 FROM statistic AS earlier
    WHERE earlier.namespace = statistic.namespace AND earlier.tier = statistic.tier
        AND earlier.at < statistic.at AND earlier.at >= statistic.at - statistic.at % 86400.0
)
