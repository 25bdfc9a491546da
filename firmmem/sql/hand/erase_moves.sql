-- Empty the reasons of the moves of one memory.
UPDATE move SET reason = '', was_reason = '' WHERE memory = :id
