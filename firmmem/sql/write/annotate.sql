-- Give one memory tags, a subject and a goal that it lacked, the words that find them, and the mark of an order.
UPDATE memory SET
    tags = :tags,
    subject = :subject,
    subject_key = subject_key(:subject),
    goal = :goal,
    suspect = max(suspect, :suspect),
    words = :words,
    repeated = :repeated,
    length = :length
WHERE id = :id
