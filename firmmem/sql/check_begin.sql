-- Begin a check that a person asked for.
INSERT INTO run (job, began_at) VALUES ('anomalies', :now) RETURNING id
