-- The next records before :hourly_since, after (:namespace, :tier, :after), each with whether an earlier one of its day
-- stands for it, or of its 30 days where it lies before :daily_since.
SELECT
    statistic.namespace,
    statistic.tier,
    statistic.at,
    EXISTS (
        SELECT 1 FROM statistic AS earlier
        WHERE earlier.namespace = statistic.namespace AND earlier.tier = statistic.tier
            AND earlier.at < statistic.at
            AND earlier.at >= statistic.at - statistic.at % iif(statistic.at < :daily_since, 2592000.0, 86400.0)
    ) AS spare
FROM statistic
WHERE statistic.at < :hourly_since
    AND (statistic.namespace, statistic.tier, statistic.at) > (:namespace, :tier, :after)
ORDER BY statistic.namespace, statistic.tier, statistic.at
LIMIT :chunk + 0
