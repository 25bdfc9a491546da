-- Note that a process, or a host's session, has ended, and its sessions with it.
UPDATE session SET ended_at = max(seen_at, :now)
WHERE ended_at IS NULL AND id IN (
    SELECT id FROM session WHERE process = :process AND :process <> ''
    UNION
    SELECT id FROM session WHERE host_session = :host_session AND :host_session <> ''
)
