-- What is set aside in one namespace, newest first, with the reason; NULL figures where it was not a check that did it.
SELECT
    memory.*, shelf.state, quarantine.run, quarantine.at, quarantine.metric, quarantine.value, quarantine.centre,
    quarantine.spread, quarantine.n, quarantine.reason
FROM shelf
CROSS JOIN memory ON memory.shelf = shelf.id
LEFT JOIN quarantine
    ON quarantine.id = (SELECT max(id) FROM quarantine AS newest WHERE newest.memory = memory.id)
WHERE shelf.namespace = :namespace AND shelf.state = 'quarantined'
ORDER BY memory.state_at DESC, memory.id DESC
LIMIT :most
