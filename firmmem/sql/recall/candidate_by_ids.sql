-- The memories with these ids, which were chosen already.
    SELECT value, 1.0, 1.0, NULL FROM json_each(:ids)
