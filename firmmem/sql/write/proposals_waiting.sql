-- How many proposals wait in one namespace.
SELECT count(*) AS count FROM proposal WHERE namespace = :namespace AND state = 'waiting'
