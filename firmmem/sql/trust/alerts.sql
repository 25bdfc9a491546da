-- What stands as an alert in one namespace.
SELECT * FROM alert WHERE namespace = :namespace ORDER BY tier, kind
