-- Drop one record of what a tier of a namespace was like.
DELETE FROM statistic WHERE namespace = :namespace AND tier = :tier AND at = :at
