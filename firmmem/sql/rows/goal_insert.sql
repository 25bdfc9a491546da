-- Have a goal.
INSERT OR IGNORE INTO goal (namespace, name) VALUES (:namespace, :name)
