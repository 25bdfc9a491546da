-- The trust that a memory's last vote until :at left it with.
SELECT trust_after AS trust FROM vote WHERE memory = :memory AND at <= :at ORDER BY id DESC LIMIT 1
