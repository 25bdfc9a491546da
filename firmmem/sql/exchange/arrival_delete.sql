-- Delete one memory of an import that is taken back.
DELETE FROM memory WHERE id = :id
