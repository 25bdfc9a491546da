-- Record what one tier of a namespace was like.
INSERT OR REPLACE INTO statistic (
    namespace, tier, at, memories, trust_mean, trust_deviation, rfm_mean, rfm_deviation
)
VALUES (:namespace, :tier, :now, :memories, :trust_mean, :trust_deviation, :rfm_mean, :rfm_deviation)
