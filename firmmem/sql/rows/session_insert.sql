-- Begin a session.
INSERT INTO session (key, namespace, client, process, host_session, began_at, seen_at)
VALUES (:key, :namespace, :client, :process, :host_session, :now, :now)
