"""Quarantine: what the anomaly check finds is set aside with its reason, and comes back by one command."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firmmem.errors import InvalidArgumentError
from firmmem.memory.rows.chunks import take_while_brief
from firmmem.memory.rows.ranking_keys import CHUNK
from firmmem.memory.rows.shelves import ensure_shelf, move_to_shelf
from firmmem.memory.trust.anomalies import Access, Alert, Group, Suspect, examine
from firmmem.store.statements import Connection, fetch, run

if TYPE_CHECKING:
    from firmmem.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Checked:
    """What a check did."""

    groups: tuple[Group, ...]
    set_aside: tuple[Suspect, ...]

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """What it leaves to a person."""
        return tuple(alert for group in self.groups for alert in group.alerts)


async def run_check(file: Access, settings: Settings, *, now: float, run_id: int) -> Checked:
    """Set aside what is statistically wrong, some rows a transaction, as one run of the periodic work.

    Raises:
        UnavailableError: The file can't be read or written.
    """
    groups = await examine(file, settings, now=now)
    suspects = [suspect for group in groups for suspect in group.suspects]
    done: list[Suspect] = []
    start = 0
    while start < len(suspects):
        some, looked = await file.write(quarantine_outliers, suspects[start : start + CHUNK], now=now, run_id=run_id)
        done += some
        start += looked
    await file.write(raise_alerts, groups, now=now, run_id=run_id)
    for group in groups:
        for alert in group.alerts:
            level = logging.WARNING if alert.kind == "many" else logging.INFO  # the others may just be good ones
            log.log(level, "namespace %s, %s: %s", group.namespace, group.tier, alert.reason)
    return Checked(tuple(groups), tuple(done))


def quarantine_outliers(
    connection: Connection, suspects: Sequence[Suspect], *, now: float, run_id: int
) -> tuple[list[Suspect], int]:
    """Move suspects to quarantine, in a transaction, as long as it may last; return those, and how many it saw.

    Those that changed since they were looked at stay.
    """
    done = []
    ids = json.dumps([suspect.id for suspect in suspects])
    rows = {row["id"]: row for row in fetch(connection, "anomaly_suspects", ids=ids)}
    looked = 0
    for suspect in take_while_brief(suspects):
        looked += 1
        row = rows.get(suspect.id)
        if row is not None and row["trust"] == suspect.value:
            quarantine_memory(connection, row, suspect, now=now, run_id=run_id)
            done.append(suspect)
    return done, looked


def quarantine_memory(connection: Connection, row: Any, suspect: Suspect, *, now: float, run_id: int) -> None:
    """Move one memory to quarantine, and note the figures that say why."""
    shelf = ensure_shelf(connection, row["namespace"], "quarantined", "")
    move_to_shelf(connection, row, shelf, now=now, cause="anomaly", reason=suspect.reason, run_id=run_id)
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


def raise_alerts(connection: Connection, groups: Sequence[Group], *, now: float, run_id: int) -> None:
    """Keep the alerts of a check in the place of those of the one before, in a transaction."""
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
    run(connection, "alert_clear", run=run_id)


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
    shelf = ensure_shelf(connection, namespace, "active", row["branch"])
    rivals = fetch(connection, "memory_by_subject", shelf=shelf, subject=row["subject"]) if row["subject"] else []
    if rivals:
        raise InvalidArgumentError(
            f"#{memory_id} is about {row['subject']!r}, as #{rivals[0]['id']} is: archive that one first."
        )
    move_to_shelf(connection, row, shelf, now=now, cause="person", reason=reason or "released")
    return row
