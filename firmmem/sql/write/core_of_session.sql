-- How many core facts a session has added.
SELECT count(*) AS count FROM memory WHERE session = :session AND session IS NOT NULL AND tier = 'core'
