"""How much waits for a person: counted at the first recall of each session, and so apart from what shows it."""

from firmmem.memory.rows.shelves import normalise_label
from firmmem.store.statements import Connection, fetch

MOST = 100  # of one kind that are shown and counted


def count_inbox(connection: Connection, namespace: str) -> int:
    """Return how much waits for a decision: what will be forgotten decides itself, and is not counted."""
    space = normalise_label(namespace)
    [row] = fetch(connection, "inbox_count", namespace=space)
    conflicts = len(fetch(connection, "inbox_conflicts", namespace=space, most=MOST))
    alerts = len(fetch(connection, "inbox_alerts", namespace=space))
    return int(row["proposals"] + row["quarantines"] + row["pins"]) + conflicts + alerts
