-- The memories that were looked at for one injection, in their order.
SELECT injected.*, memory.tier, memory.summary, memory.created_at
FROM injected
CROSS JOIN memory ON memory.id = injected.memory
WHERE injected.injection = :injection
ORDER BY injected.place
