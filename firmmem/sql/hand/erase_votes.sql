-- Empty the notes of the votes on one memory.
UPDATE vote SET note = '' WHERE memory = :id AND note <> ''
