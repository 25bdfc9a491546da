-- The number of a model, if anything was embedded with it.
SELECT id FROM encoder WHERE fingerprint = :fingerprint
