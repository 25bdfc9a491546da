-- Give one memory tags, a subject and a goal that it lacked, and the words that find them.
UPDATE memory SET
    tags = :tags,
    subject = :subject,
    goal = :goal,
    words = :words,
    repeated = :repeated,
    length = :length
WHERE id = :id
