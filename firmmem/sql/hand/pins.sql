-- The pins of one namespace, or of all; with :failed those alone that fail.
SELECT * FROM pin
WHERE (:namespace = '' OR namespace = :namespace) AND (NOT :failed OR failed_at IS NOT NULL)
ORDER BY id
