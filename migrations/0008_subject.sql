-- Subjects: one, however it is typed. `subject` is what was typed and is shown; `subject_key` is what it is looked for by.

ALTER TABLE memory ADD COLUMN subject_key TEXT NOT NULL DEFAULT '';

UPDATE memory SET subject_key = subject_key(subject) WHERE subject <> '';

DROP INDEX memory_by_subject;

CREATE INDEX memory_by_subject ON memory (shelf, subject_key) WHERE subject_key <> '';

-- Two core facts of an older file may have one key: that they have is shown as a conflict, and a new one is refused in
-- the transaction that would write it.
CREATE TRIGGER core_subject_key_update BEFORE UPDATE OF subject_key ON memory WHEN old.tier = 'core' BEGIN
    SELECT raise(ABORT, 'core facts are changed only by a person') WHERE NOT by_person();
END;
