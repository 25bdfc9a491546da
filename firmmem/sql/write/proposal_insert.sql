-- Keep a core fact for a person to decide on.
INSERT INTO proposal (namespace, fact, subject, tags, identity, client, session, at, replaces)
VALUES (:namespace, :fact, :subject, :tags, :identity, :client, :session, :now, :replaces)
