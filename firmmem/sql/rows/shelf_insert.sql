-- Make a shelf that is not there.
INSERT INTO shelf (namespace, state, branch) VALUES (:namespace, :state, :branch)
