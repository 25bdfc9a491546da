-- Change a core fact, on a connection that works for a person; it is of the day it was changed.
UPDATE memory SET
    summary = :summary,
    subject = :subject,
    tags = :tags,
    identity = :identity,
    suspect = :suspect,
    words = :words,
    repeated = :repeated,
    length = :length,
    source = 'person',
    created_at = :now,
    reviewed_at = :now
WHERE id = :id
