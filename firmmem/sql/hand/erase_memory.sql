-- Leave one memory without its content, on the shelf of tombstones; its identity is chance, which no text leads to.
UPDATE memory SET
    shelf = :shelf,
    search_id = :shelf << 40 | id,
    goal = 0,
    subject = '',
    subject_key = '',
    summary = '(erased)',
    tags = '[]',
    identity = randomblob(16),
    suspect = 0,
    supersedes = '[]',
    state_at = :now,
    state_cause = 'erased',
    state_reason = '',
    fades_at = NULL,
    words = '',
    repeated = '',
    length = 0
WHERE id = :id
