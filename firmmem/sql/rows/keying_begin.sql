-- Begin to compute all keys again; rows written from now on have them already.
UPDATE keying SET
    draft = :draft,
    validated = :validated,
    strategic = :strategic,
    consolidation_base = :consolidation_base,
    pending_from = 1,
    pending_to = (SELECT coalesce(max(id), 0) FROM memory)
WHERE id = 1
