-- Have a shelf.
INSERT OR IGNORE INTO shelf (namespace, state, branch) VALUES (:namespace, :state, :branch)
