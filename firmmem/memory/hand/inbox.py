"""The inbox: all that waits for a person in one namespace, and what a person can do with each by one letter."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firmmem.dates.moments import format_day
from firmmem.errors import InvalidArgumentError
from firmmem.memory.hand.action import Action, record_action
from firmmem.memory.hand.by_person import archive_by_person, restore_by_person
from firmmem.memory.hand.pins import list_pins, remove_pin
from firmmem.memory.hand.waiting import MOST
from firmmem.memory.life.forget import fading_drafts
from firmmem.memory.rows.moves import note_move
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.memory.rows.shelves import normalise_label
from firmmem.memory.write.proposals import accept_proposal, list_proposals, refuse_proposal
from firmmem.store.statements import Connection, fetch, run
from firmmem.text.normal_form import to_one_line

if TYPE_CHECKING:
    from firmmem.settings import Settings

SOON = 7 * DAY

Kind = str  # proposal, conflict, quarantine, alert, pin, fading
ACTIONS: Mapping[Kind, Mapping[str, str]] = {
    "proposal": {"a": "accept", "r": "refuse"},
    "conflict": {"o": "archive the older", "n": "archive the newer", "k": "keep both"},
    "quarantine": {"r": "release", "a": "archive"},
    "alert": {"d": "dismiss"},
    "pin": {"r": "remove the pin"},
    "fading": {"k": "keep for three weeks", "a": "archive now"},
}


@dataclass(frozen=True)
class Item:
    """One thing that waits: its kind, a key that names it, the memories it is about, and lines that say it."""

    kind: Kind
    key: str
    memories: tuple[int, ...]
    lines: tuple[str, ...]

    @property
    def actions(self) -> Mapping[str, str]:
        """What can be done, by letter."""
        return ACTIONS[self.kind]


def read_inbox(connection: Connection, namespace: str, settings: Settings, *, now: float) -> list[Item]:
    """Return what waits in a namespace, and what will be forgotten this week, at most a hundred of each kind."""
    space = normalise_label(namespace)
    readers: tuple[Callable[[Connection, str, Settings, float], Iterator[Item]], ...] = (
        read_proposals,
        read_conflicts,
        read_quarantines,
        read_alerts,
        read_pins,
        read_fading,
    )
    return [
        item for read in readers for item, _ in zip(read(connection, space, settings, now), range(MOST), strict=False)
    ]


def read_proposals(connection: Connection, namespace: str, _: Settings, __: float) -> Iterator[Item]:
    """Yield the core facts that agents propose."""
    for row in list_proposals(connection, namespace):
        by = row["client"] or "a client without a name"
        subject = f"{{{row['subject']}}} " if row["subject"] else ""
        lines = [f"{by} proposes: {subject}{to_one_line(row['fact'])}"]
        old = fetch(connection, "memory_by_id", ids=json.dumps([row["replaces"]]), namespace=namespace)
        lines += [f"in the place of {memory_line(each)}" for each in old]
        yield Item("proposal", str(row["id"]), tuple(each["id"] for each in old), tuple(lines))


def read_conflicts(connection: Connection, namespace: str, _: Settings, __: float) -> Iterator[Item]:
    """Yield the pairs that seemed to contradict each other when the later was written."""
    pairs = [(row["id"], row["other"]) for row in fetch(connection, "inbox_conflicts", namespace=namespace, most=MOST)]
    ids = json.dumps(sorted({each for pair in pairs for each in pair}))
    rows = {row["id"]: row for row in fetch(connection, "memory_by_id", ids=ids, namespace=namespace)}
    for pair in pairs:
        yield Item("conflict", "{} {}".format(*pair), pair, tuple(memory_line(rows[each]) for each in pair))


def read_quarantines(connection: Connection, namespace: str, _: Settings, __: float) -> Iterator[Item]:
    """Yield what the anomaly check set aside, with its reason."""
    for row in fetch(connection, "quarantined", namespace=namespace, most=MOST):
        reason = row["reason"] or row["state_reason"] or row["state_cause"]
        yield Item("quarantine", str(row["id"]), (row["id"],), (memory_line(row), f"set aside: {reason}"))


def read_alerts(connection: Connection, namespace: str, _: Settings, __: float) -> Iterator[Item]:
    """Yield the alerts of the anomaly check."""
    for row in fetch(connection, "inbox_alerts", namespace=namespace):
        memories = tuple(int(memory) for memory, _ in json.loads(row["memories"]))
        yield Item("alert", row["key"], memories, (f"{row['tier']}: {row['reason']}",))


def read_pins(connection: Connection, namespace: str, _: Settings, __: float) -> Iterator[Item]:
    """Yield the pinned questions whose answer left the first five."""
    for pin in list_pins(connection, namespace, failed=True):
        expected = (pin["expected"],) if pin["expected"] else ()
        yield Item("pin", str(pin["id"]), expected, (f"{pin['question']}", pin["cause"]))


def read_fading(connection: Connection, namespace: str, settings: Settings, now: float) -> Iterator[Item]:
    """Yield the drafts that will be forgotten this week."""
    for at, row in fading_drafts(connection, namespace, settings, until=now + SOON, now=now):
        when = "now" if at <= now else format_day(at)
        yield Item("fading", str(row["id"]), (row["id"],), (f"#{row['id']} {to_one_line(row['summary'])}", when))


def memory_line(row: Any) -> str:
    """Return a memory as the inbox names it."""
    return f"#{row['id']} {row['tier']} {format_day(row['created_at'])} {to_one_line(row['summary'])}"


def act_on(
    connection: Connection, item: Item, letter: str, settings: Settings, *, namespace: str, now: float
) -> tuple[str, Action]:
    """Do what a letter means for an item, in a transaction; needs a connection by a person. Return what became of it.

    Raises:
        InvalidArgumentError: The letter means nothing for it, or the item is gone.
    """
    if letter not in item.actions:
        raise InvalidArgumentError(f"{letter!r} means nothing for a {item.kind}: {describe_actions(item)}.")
    with record_action(connection, f"inbox {item.kind}", now=now) as action:
        said = do(connection, item, letter, settings, namespace=normalise_label(namespace), now=now)
    return said, action


def describe_actions(item: Item) -> str:
    """Return what each letter means."""
    return ", ".join(f"{letter} = {meaning}" for letter, meaning in item.actions.items())


def do(connection: Connection, item: Item, letter: str, settings: Settings, *, namespace: str, now: float) -> str:
    """Do one action; the letter is one of the item's."""
    place: dict[str, Any] = {"namespace": namespace, "now": now}
    match item.kind, letter:
        case "proposal", "a":
            written = accept_proposal(connection, int(item.key), settings, **place)
            return f"#{written.id} core, {written.status}"
        case "proposal", _:
            refuse_proposal(connection, int(item.key), **place)
            return "refused"
        case "conflict", "k":
            run(connection, "dismiss", kind="conflict", key=item.key, **place)
            return "both stay"
        case "conflict", _:
            chosen = item.memories[0 if letter == "o" else 1]
            return archive_by_person(connection, [chosen], settings, reason="settled", **place).lines[0]
        case "quarantine", "r":
            return restore_by_person(connection, item.memories, settings, **place).lines[0]
        case ("quarantine", _) | ("fading", "a"):
            return archive_by_person(connection, item.memories, settings, **place).lines[0]
        case "fading", _:
            note_move(connection, item.memories[0], now=now, cause="person", reason="kept")
            return f"#{item.memories[0]} is kept"
        case "alert", _:
            run(connection, "dismiss", kind="alert", key=item.key, **place)
            return "dismissed"
    remove_pin(connection, int(item.key), namespace=namespace)
    return "the pin is removed"
