-- Begin what a person does as a run.
INSERT INTO run (job, began_at, by_person) VALUES (:verb, :now, 1) RETURNING id
