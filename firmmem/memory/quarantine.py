"""Quarantine: what the anomaly check finds is set aside with its reason, and comes back by one command."""

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import anyio

from firmmem.database import Connection, Database, fetch, run
from firmmem.errors import InvalidArgumentError
from firmmem.memory.anomaly import Alert, Group, Suspect, examine
from firmmem.memory.keys import CHUNK
from firmmem.memory.shelves import move, shelf_id

log = logging.getLogger(__name__)

PAUSE = 0.02  # seconds between chunks, in which others write


@dataclass(frozen=True)
class Checked:
    """What a check did."""

    groups: tuple[Group, ...]
    set_aside: tuple[Suspect, ...]

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """What it leaves to a person."""
        return tuple(alert for group in self.groups for alert in group.alerts)


async def check(
    database: Database,
    *,
    now: float,
    run_id: int,
    namespace: str = "",
    hold: Callable[[Connection], None] = lambda _: None,
) -> Checked:
    """Look at one namespace, or all, and set aside what is statistically wrong, some rows a transaction.

    `hold` is called first in each transaction that writes, and raises where the run is no longer this process's.

    Raises:
        UnavailableError: The file can't be read or written.
    """
    groups = await examine(database, now=now, namespace=namespace)
    suspects = [suspect for group in groups for suspect in group.suspects]
    done: list[Suspect] = []
    for start in range(0, len(suspects), CHUNK):
        chunk = suspects[start : start + CHUNK]
        done += await database.write(set_aside, chunk, hold, now=now, run_id=run_id)
        await anyio.sleep(PAUSE)
    await database.write(raise_alerts, groups, hold, namespace=namespace, now=now, run_id=run_id)
    for group in groups:
        for alert in group.alerts:
            log.warning("namespace %s, %s: %s", group.namespace, group.tier, alert.reason)
    return Checked(tuple(groups), tuple(done))


def set_aside(
    connection: Connection, suspects: Sequence[Suspect], hold: Callable[[Connection], None], *, now: float, run_id: int
) -> list[Suspect]:
    """Move suspects to quarantine, in a transaction, but for those that changed since they were looked at."""
    hold(connection)
    done = []
    ids = json.dumps([suspect.id for suspect in suspects])
    rows = {row["id"]: row for row in fetch(connection, "anomaly_suspects", ids=ids)}
    for suspect in suspects:
        row = rows.get(suspect.id)
        if row is None or row["trust"] != suspect.value:
            continue
        shelf = shelf_id(connection, row["namespace"], "quarantined", "")
        move(connection, row, shelf, now=now, cause="anomaly", reason=suspect.reason, run_id=run_id)
        run(
            connection,
            "quarantine_insert",
            memory=suspect.id,
            run=run_id,
            now=now,
            metric=suspect.metric,
            value=suspect.value,
            centre=suspect.centre,
            spread=suspect.spread,
            n=suspect.n,
            reason=suspect.reason,
        )
        done.append(suspect)
    return done


def raise_alerts(
    connection: Connection,
    groups: Sequence[Group],
    hold: Callable[[Connection], None],
    *,
    namespace: str,
    now: float,
    run_id: int,
) -> None:
    """Keep the alerts of a check in the place of those of the one before, in a transaction."""
    hold(connection)
    for group in groups:
        for alert in group.alerts:
            run(
                connection,
                "alert_put",
                namespace=group.namespace,
                tier=group.tier,
                kind=alert.kind,
                run=run_id,
                now=now,
                n=group.trust.n,
                count=alert.count,
                memories=json.dumps(alert.memories),
                reason=alert.reason,
            )
    run(connection, "alert_clear", run=run_id, namespace=namespace)


def release(connection: Connection, memory_id: int, *, namespace: str, reason: str = "", now: float) -> Any:
    """Bring a memory back from quarantine, in a transaction, and return it; it stays until voted against again.

    Raises:
        InvalidArgumentError: It is not in quarantine, or another memory is about its subject by now.
    """
    rows = fetch(connection, "memory_by_id", ids=json.dumps([memory_id]), namespace=namespace)
    if not rows or rows[0]["state"] != "quarantined":
        raise InvalidArgumentError(
            f"#{memory_id} of namespace {namespace!r} is not in quarantine: firmmem anomalies shows what is."
        )
    row = rows[0]
    shelf = shelf_id(connection, namespace, "active", row["branch"])
    rivals = fetch(connection, "memory_by_subject", shelf=shelf, subject=row["subject"]) if row["subject"] else []
    if rivals:
        raise InvalidArgumentError(
            f"#{memory_id} is about {row['subject']!r}, as #{rivals[0]['id']} is: archive that one first."
        )
    move(connection, row, shelf, now=now, cause="person", reason=reason or "released")
    return row
