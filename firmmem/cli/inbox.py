"""`firmmem inbox` and `firmmem namespaces`: what waits for a person, settled by one letter each."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firmmem.cli.core import open_for_changes, open_for_reading
from firmmem.cli.terminal import Db, Json, Namespace, at_terminal, choose_file, remark, say, say_json

if TYPE_CHECKING:
    from firmmem.memory.hand.inbox import Item
    from firmmem.settings import Settings

TITLES = {
    "proposal": "Proposed core facts",
    "conflict": "Memories that seem to contradict each other",
    "quarantine": "Set aside by the anomaly check",
    "alert": "Alerts of the anomaly check",
    "pin": "Pinned questions that no longer find their answer",
    "fading": "Drafts that will be forgotten this week, unless they are used",
}


def inbox(
    do: Annotated[
        str, typer.Option("--do", help="Do this to one item without asking, such as proposal:3=a; --json lists them.")
    ] = "",
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Show what waits for you: proposals, conflicts, quarantine, alerts, pins, what fades; settle each by a letter."""
    from firmmem.memory.hand.inbox import read_inbox
    from firmmem.memory.hand.waiting import count_inbox

    settings, space = choose_file(db, namespace)
    items, count = [], 0
    if settings.db.exists():  # looking makes no file
        with open_for_reading(settings) as connection:
            items, count = read_inbox(connection, space, settings, now=time.time()), count_inbox(connection, space)
    if do:
        settle_named(settings, space, items, do)
    elif as_json:
        say_json({"namespace": space, "waiting": count, "items": [item_as_json(item) for item in items]})
    elif not items:
        say(f"Nothing waits in namespace {space!r}.")
    elif at_terminal():
        ask_about_each(settings, space, items)
    else:
        say("\n".join(listed(items)))


def item_as_json(item: "Item") -> dict[str, object]:
    """Return an item for programs."""
    return {
        "item": f"{item.kind}:{item.key}",
        "kind": item.kind,
        "memories": list(item.memories),
        "text": list(item.lines),
        "actions": dict(item.actions),
    }


def listed(items: "list[Item]") -> list[str]:
    """Return the items under their titles."""
    lines, kind = [], ""
    for item in items:
        if item.kind != kind:
            kind = item.kind
            lines.append(f"{TITLES[kind]}:")
        lines += [f"  {line}" if number == 0 else f"    {line}" for number, line in enumerate(item.lines)]
    return lines


def ask_about_each(settings: "Settings", namespace: str, items: "list[Item]") -> None:
    """Show one item after another, and do what the person types; Enter passes on, q ends."""
    from firmmem.memory.hand.inbox import describe_actions

    for number, item in enumerate(items, 1):
        say(f"\n{number} of {len(items)}. {TITLES[item.kind]}:")
        say("\n".join(f"  {line}" for line in item.lines))
        letter = ""
        while letter not in (*item.actions, "s", "q"):
            letter = typer.prompt(f"{describe_actions(item)}, Enter = later, q = end", default="s", show_default=False)
            letter = letter.strip().lower()[:1] or "s"
        if letter == "q":
            return
        if letter != "s":
            settle(settings, namespace, item, letter)


def settle_named(settings: "Settings", namespace: str, items: "list[Item]", asked: str) -> None:
    """Do what `kind:key=letter` says."""
    from firmmem.errors import InvalidArgumentError

    name, _, letter = asked.rpartition("=")
    for item in items:
        if f"{item.kind}:{item.key}" == name:
            settle(settings, namespace, item, letter.strip().lower())
            return
    raise InvalidArgumentError(f"Nothing in the inbox is named {name or asked!r}: `firmmem inbox --json` lists it all.")


def settle(settings: "Settings", namespace: str, item: "Item", letter: str) -> None:
    """Do one action, and say what became of it."""
    from firmmem.memory.hand.inbox import act_on

    with open_for_changes(settings) as connection:
        said, action = act_on(connection, item, letter, settings, namespace=namespace, now=time.time())
    say(said)
    if action.run:
        remark(f"`firmmem undo {action.run}` takes this back.")


def namespaces(as_json: Json = False, db: Db = None) -> None:
    """Show every namespace of the file, and how many memories each has."""
    from firmmem.store.statements import fetch

    settings, space = choose_file(db, "")
    rows = []
    if settings.db.exists():
        with open_for_reading(settings) as connection:
            rows = fetch(connection, "namespaces")
    if as_json:
        say_json([{"namespace": row["namespace"], "active": row["active"], "memories": size_of(row)} for row in rows])
    elif not rows:
        say(f"Nothing is remembered yet in {settings.db}.")
    else:
        usual = " (what commands look at without --namespace)"
        say(
            "\n".join(
                f"{row['namespace']}: {row['active']} in use, {size_of(row)} in all"
                f"{usual if row['namespace'] == space else ''}"
                for row in rows
            )
        )


def size_of(row: Any) -> int:
    """Return how many memories a namespace has in all states."""
    return int(sum(row[state] for state in ("active", "archived", "superseded", "quarantined")))
