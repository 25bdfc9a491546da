-- Empty the reasons for which votes on one memory were taken back.
UPDATE revocation SET reason = '' WHERE reason <> '' AND vote IN (SELECT id FROM vote WHERE memory = :id)
