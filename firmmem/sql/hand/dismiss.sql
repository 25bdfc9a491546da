-- Note that a person saw something and let it be.
INSERT OR IGNORE INTO dismissal (namespace, kind, key, at) VALUES (:namespace, :kind, :key, :now)
