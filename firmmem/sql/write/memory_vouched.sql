-- Take back the mark of an order: a person wrote the same text.
UPDATE memory SET suspect = 0 WHERE id = :id
