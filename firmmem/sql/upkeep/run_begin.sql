-- Begin a run.
INSERT INTO run (job, began_at) VALUES (:job, :now) RETURNING id
