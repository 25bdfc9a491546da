-- Empty the reasons for which one memory was set aside.
UPDATE quarantine SET reason = '' WHERE memory = :id
