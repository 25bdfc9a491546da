-- Change a core fact, on a connection that works for a person.
UPDATE memory SET
    summary = :summary,
    subject = :subject,
    identity = :identity,
    words = :words,
    repeated = :repeated,
    length = :length
WHERE id = :id
