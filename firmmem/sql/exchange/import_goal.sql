-- Have a goal as an export has it; one that is there keeps its earliest opening and its latest closing.
INSERT INTO goal (namespace, name, opened_at, closed_at) VALUES (:namespace, :name, :opened_at, :closed_at)
ON CONFLICT (namespace, name) DO UPDATE SET
    closed_at = CASE
        WHEN opened_at IS NULL THEN excluded.closed_at
        WHEN excluded.opened_at IS NULL OR closed_at IS NULL THEN closed_at
        ELSE excluded.closed_at
    END,
    opened_at = coalesce(min(opened_at, excluded.opened_at), opened_at, excluded.opened_at)
