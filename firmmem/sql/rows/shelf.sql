-- One shelf, if anything ever lay on it.
SELECT * FROM shelf WHERE namespace = :namespace AND state = :state AND branch = :branch
