-- Have a number for a model.
INSERT OR IGNORE INTO encoder (fingerprint, name) VALUES (:fingerprint, :name)
