-- Let a new file's keys follow the settings of the process that made it.
INSERT OR IGNORE INTO keying (id, draft, validated, strategic, consolidation_base)
VALUES (1, :draft, :validated, :strategic, :consolidation_base)
