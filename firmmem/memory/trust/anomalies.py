"""Anomalies: the memories whose trust is statistically wrong, and what else stands out, by namespace and tier."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar

import anyio

from firmmem import anomaly_rule
from firmmem.anomaly_rule import Figures, compute_figures
from firmmem.contract import TIERS, Tier
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.store.statements import Connection, fetch
from firmmem.text.normal_form import count_memories

if TYPE_CHECKING:
    from firmmem.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")

READ = 2_000  # rows read at a time, some milliseconds
RECENT = 7 * DAY  # votes that make a change of trust sudden
VOTERS = 2  # different sessions without which no fall and no rise is believed
NAMED = 20  # memories that an alert or a list names
STANDING_OUT = 0.15  # trust above the median that a high outlier has at least: three votes on a draft


@dataclass(frozen=True)
class Suspect:
    """A memory to set aside, and the figures that say why."""

    id: int
    metric: Literal["trust", "fall"]
    value: float
    centre: float
    spread: float
    n: int
    reason: str


@dataclass(frozen=True)
class Alert:
    """What is left to a person."""

    kind: Literal["many", "high", "rise"]
    memories: tuple[tuple[int, float], ...]  # id and trust of some
    count: int
    reason: str


@dataclass(frozen=True)
class Turn:
    """A sudden change of trust, and how many sessions' votes made it."""

    id: int
    before: float
    now: float
    voters: int


@dataclass
class Group:
    """One namespace's memories of one tier, as a check sees them. Lists are of id and value."""

    namespace: str
    tier: Tier
    trust: Figures
    rfm: Figures
    suspects: list[Suspect] = field(default_factory=list)
    alerts: list[Alert] = field(default_factory=list)
    faded: list[tuple[int, float]] = field(default_factory=list)  # RFM far below the others': just old, mostly
    vivid: list[tuple[int, float]] = field(default_factory=list)  # and far above
    falls: list[Turn] = field(default_factory=list)


class Access(Protocol):
    """The file as this work reaches it: the database itself, or a run that holds its job and lets others in between."""

    async def read(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `function` with a connection that reads."""

    async def write(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `function` in a transaction."""


async def examine(file: Access, settings: Settings, *, now: float, namespace: str = "") -> list[Group]:
    """Return what a check would find now, in one namespace or in all, and change nothing."""
    groups = []
    threshold = settings.normal_std_threshold
    for shelf in await file.read(fetch, "anomaly_shelves", namespace=namespace):
        columns = await read_values(file, shelf["id"], now=now)
        turns = await file.read(sudden_turns, shelf["id"], threshold, now=now)
        for tier in TIERS[1:]:
            if columns[tier].ids:
                look = partial(apply_rule, shelf["namespace"], tier, columns[tier], turns[tier], threshold)
                found = await anyio.to_thread.run_sync(look)  # a second's work where there are a million
                found.suspects = await file.read(drop_forgiven, found.suspects)
                groups.append(cap_outliers(found))
    return groups


@dataclass
class Columns:
    """The numbers of one tier's memories, row by row."""

    ids: array[int] = field(default_factory=lambda: array("q"))
    trust: array[float] = field(default_factory=lambda: array("d"))
    rfm: array[float] = field(default_factory=lambda: array("d"))


async def read_values(file: Access, shelf: int, *, now: float) -> dict[Tier, Columns]:
    """Read a shelf, some rows at a time, so that nobody waits for it."""
    columns = {tier: Columns() for tier in TIERS}
    after, highest = shelf << 40, (shelf + 1) << 40
    while rows := await file.read(fetch, "anomaly_rows", after=after, highest=highest - 1, chunk=READ, now=now):
        for row in rows:
            into = columns[row["tier"]]
            into.ids.append(row["id"])
            into.trust.append(row["trust"])
            into.rfm.append(row["rfm"])
        after = rows[-1]["search_id"]
    return columns


def sudden_turns(connection: Connection, shelf: int, threshold: float, *, now: float) -> dict[Tier, list[Any]]:
    """Return the sudden changes of trust on a shelf, by tier."""
    found: dict[Tier, list[Any]] = {tier: [] for tier in TIERS}
    least = anomaly_rule.sudden_change(threshold) - 1e-9
    for row in fetch(connection, "anomaly_turns", shelf=shelf, since=now - RECENT, least=least):
        found[row["tier"]].append(row)
    return found


def apply_rule(namespace: str, tier: Tier, columns: Columns, turns: Sequence[Any], threshold: float) -> Group:
    """Apply the rule to one group."""
    group = Group(namespace, tier, compute_figures(columns.trust, threshold), compute_figures(columns.rfm, threshold))
    for memory, trust, rfm in zip(columns.ids, columns.trust, columns.rfm, strict=True):
        if trust < anomaly_rule.FLOOR and (face := group.trust.low(trust)):
            reason = f"trust {trust:.2f} is {-face.distance(trust):.1f} spreads below the {face.name} {face.centre:.2f}"
            group.suspects.append(Suspect(memory, "trust", trust, face.centre, face.spread, group.trust.n, reason))
        if group.rfm.low(rfm):
            group.faded.append((memory, rfm))
        elif group.rfm.high(rfm):
            group.vivid.append((memory, rfm))
    least = anomaly_rule.sudden_change(threshold)
    known = {suspect.id for suspect in group.suspects}
    for row in turns:
        fall = row["before"] - row["trust"]
        if fall > 0:
            group.falls.append(Turn(row["id"], row["before"], row["trust"], row["against"]))
        if fall > 0 and row["against"] >= VOTERS and row["trust"] < anomaly_rule.FLOOR and row["id"] not in known:
            reason = f"trust fell from {row['before']:.2f} to {row['trust']:.2f} by {row['against']} sessions' votes"
            group.suspects.append(Suspect(row["id"], "fall", row["trust"], row["before"], least, group.trust.n, reason))
    group.alerts = [*high_alert(group, columns), *rise_alert(turns)]
    return group


def high_alert(group: Group, columns: Columns) -> list[Alert]:
    """Return the alert on memories that are trusted far above the others."""
    least = group.trust.median.centre + STANDING_OUT
    out = [
        (memory, trust)
        for memory, trust in zip(columns.ids, columns.trust, strict=True)
        if trust >= least and group.trust.high(trust)
    ]
    if not out:
        return []
    out.sort(key=lambda pair: -pair[1])
    reason = (
        f"{count_memories(len(out))} trusted far above the median {group.trust.median.centre:.2f} of {group.trust.n}"
    )
    return [Alert("high", tuple(out[:NAMED]), len(out), reason)]


def rise_alert(turns: Sequence[Any]) -> list[Alert]:
    """Return the alert on memories whose trust several sessions raised within days."""
    risen = [(row["id"], row["trust"]) for row in turns if row["trust"] > row["before"] and row["supporting"] >= VOTERS]
    if not risen:
        return []
    reason = (
        f"the trust of {count_memories(len(risen))} rose suddenly: were votes stuffed? (firmmem trust ID shows them)"
    )
    return [Alert("rise", tuple(risen[:NAMED]), len(risen), reason)]


def drop_forgiven(connection: Connection, suspects: list[Suspect]) -> list[Suspect]:
    """Return the suspects without those that a person brought back and nobody has voted against since."""
    ids = json.dumps([suspect.id for suspect in suspects])
    forgiven = {row["id"] for row in fetch(connection, "anomaly_forgiven", ids=ids)} if suspects else set()
    return [suspect for suspect in suspects if suspect.id not in forgiven]


def cap_outliers(group: Group) -> Group:
    """Return the group with an alert in the place of suspects that are too many to be outliers."""
    count = len(group.suspects)
    if anomaly_rule.too_many(count, group.trust.n):
        some = tuple((suspect.id, suspect.value) for suspect in group.suspects[:NAMED])
        reason = f"{count} of {group.trust.n} would be set aside, which is too many to be outliers: none was"
        group.alerts.append(Alert("many", some, count, reason))
        group.suspects = []
    return group
