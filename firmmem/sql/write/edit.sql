-- Give one memory another text and other labels, and the words that find them.
UPDATE memory SET
    summary = :summary,
    subject = :subject,
    subject_key = subject_key(:subject),
    tags = :tags,
    goal = :goal,
    identity = :identity,
    source = :source,
    suspect = :suspect,
    initial_trust = :initial_trust,
    created_at = :created_at,
    words = :words,
    repeated = :repeated,
    length = :length
WHERE id = :id
