-- Pin a question to the memory that answers it, or to another one.
INSERT INTO pin (namespace, question, expected, created_at) VALUES (:namespace, :question, :expected, :now)
ON CONFLICT (namespace, question) DO UPDATE SET expected = excluded.expected, created_at = excluded.created_at
RETURNING id
