-- Let one memory have been shown as often as it was before an import.
UPDATE exposure SET times = :times, last_at = :last_at WHERE memory = :id
