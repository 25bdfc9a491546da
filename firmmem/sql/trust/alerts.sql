-- The alerts of one namespace.
SELECT * FROM alert WHERE namespace = :namespace ORDER BY tier, kind
