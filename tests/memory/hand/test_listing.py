"""List: every filter narrows, pages meet without a gap, and a page costs the same however large the store is."""

import random
import re
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from store.test_sql import grow, parameters, steps_of
from support.stores import START, YOUNG, planted, write_one

from firmmem.contract import TIERS
from firmmem.errors import InvalidArgumentError
from firmmem.memory.hand.listing import Listing, goal_names, list_memories, show_memory
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.settings import Settings
from firmmem.store.statements import Connection, sql, transaction

WAYS = ("shelf", "words", "tag", "subject", "goal", "core")


@pytest.fixture
def store(connection: Connection) -> Connection:
    """Two hundred memories of every kind, in a known order."""
    chance = random.Random(7)  # noqa: S311 - no secret
    with transaction(connection):
        for number in range(200):
            life = replace(YOUNG, tier=TIERS[number % 4], reviewed_at=START - chance.randrange(90) * DAY)
            planted(
                connection,
                life,
                f"Note {number} about the {chance.choice(['cat', 'dog', 'cabin'])}",
                state="archived" if number % 5 == 0 else "active",
                goal="ship" if number % 3 == 0 and life.tier != "core" else "",
                tags=tuple(chance.sample(("red", "blue", "green"), chance.randrange(3))),
                subject="house" if number % 11 == 0 and life.tier != "core" else "",
                branch="idea" if number % 17 == 0 else "",
            )
    return connection


def ids(connection: Connection, **said: Any) -> list[int]:
    return [row["id"] for row in list_memories(connection, Listing("default", limit=1000, **said)).rows]


def expected(connection: Connection, where: str) -> list[int]:
    rows = connection.execute(
        "SELECT memory.id FROM memory JOIN shelf ON shelf.id = memory.shelf LEFT JOIN goal ON goal.id = memory.goal "
        f"WHERE {where} ORDER BY memory.id DESC"
    )
    return [row["id"] for row in rows]


FIRM = "tier IN ('draft', 'validated') AND goal.name = 'ship'"
ACTIVE = "state = 'active' AND branch = ''"
FILTERS: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, ACTIVE),
    "two states": ({"states": ("active", "archived")}, "state IN ('active', 'archived') AND branch = ''"),
    "a branch": ({"branch": "idea"}, "state = 'active' AND branch = 'idea'"),
    "core": ({"tiers": ("core",)}, f"{ACTIVE} AND tier = 'core'"),
    "two tiers": ({"tiers": ("draft", "strategic")}, f"{ACTIVE} AND tier IN ('draft', 'strategic')"),
    "both tags": ({"tags": ("Red", "blue")}, f"{ACTIVE} AND tags LIKE '%\"red\"%' AND tags LIKE '%\"blue\"%'"),
    "a goal": ({"goal": "ship"}, f"{ACTIVE} AND goal.name = 'ship'"),
    "a goal that is not there": ({"goal": "sink"}, "0"),
    "a subject": ({"subject": "House"}, f"{ACTIVE} AND subject = 'house'"),
    "words": ({"words": "cabin note"}, f"{ACTIVE} AND summary LIKE '%cabin%'"),
    "no words": ({"words": "?!"}, "0"),
    "a client": ({"client": "a client"}, ACTIVE),
    "another client": ({"client": "nobody"}, "0"),
    "days": (
        {"since": START - 40 * DAY, "until": START - 10 * DAY},
        f"{ACTIVE} AND created_at >= {START - 40 * DAY} AND created_at < {START - 10 * DAY}",
    ),
    "all at once": (
        {"words": "dog", "tags": ("red",), "tiers": ("draft", "validated"), "goal": "ship", "since": START - 60 * DAY},
        f"{ACTIVE} AND summary LIKE '%dog%' AND tags LIKE '%\"red\"%' AND {FIRM} AND created_at >= {START - 60 * DAY}",
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_each_filter_passes_what_it_says_newest_first(store: Connection, name: str) -> None:
    said, where = FILTERS[name]
    assert ids(store, **said) == expected(store, where)


@pytest.mark.parametrize("said", [{}, {"words": "note"}, {"tags": ("red",)}, {"goal": "ship"}, {"tiers": ("core",)}])
def test_pages_meet_without_a_gap_and_hold_each_memory_once(store: Connection, said: dict[str, Any]) -> None:
    whole = ids(store, states=("active", "archived"), **said)
    seen: list[int] = []
    below: int | None = 2**40
    while below is not None:
        page = list_memories(store, Listing("default", states=("active", "archived"), limit=7, below=below, **said))
        assert 0 < len(page.rows) <= 7
        seen += [row["id"] for row in page.rows]
        below = page.next
    assert seen == whole


def test_the_names_of_goals_come_with_a_page(store: Connection) -> None:
    rows = list_memories(store, Listing("default", goal="ship")).rows
    assert goal_names(store, rows) == {rows[0]["goal"]: "ship"}
    assert goal_names(store, []) == {}


@pytest.mark.parametrize("way", WAYS)
def test_no_way_to_a_page_walks_the_table(store: Connection, way: str) -> None:
    store.execute("ANALYZE")
    statement = sql(f"list_by_{way}")
    steps = [
        row["detail"]
        for row in store.execute(f"EXPLAIN QUERY PLAN {statement}", dict.fromkeys(parameters(statement), 1))
    ]
    assert not [step for step in steps if re.match(r"SCAN memory(_tag)?\b", step)], steps
    if way not in ("goal", "core"):  # a goal's memories and the core facts are few: they are sorted
        assert not [step for step in steps if "TEMP B-TREE FOR ORDER BY" in step], steps


def test_a_page_of_a_large_store_costs_what_one_of_a_small_store_costs(connection: Connection) -> None:
    asked = {
        "the newest": Listing("default"),
        "a later page": Listing("default", below=400),
        "a common tag": Listing("default", tags=("common",)),
        "a word": Listing("default", words="w7"),
    }

    def work() -> dict[str, int]:
        return {name: steps_of(connection, partial(list_memories, connection, each)) for name, each in asked.items()}

    with transaction(connection):
        grow(connection, 2_000, tags=("common",))
    small = work()
    with transaction(connection):
        grow(connection, 60_000, tags=("common",))
    assert {name: steps for name, steps in work().items() if steps > 1.5 * small[name] + 20} == {}


def test_a_memory_is_shown_with_all_that_is_known_of_it(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        write_one(connection, settings, "The office is in Berlin", tier="validated", subject="office")
        write_one(connection, settings, "The office is in Lisbon", tier="validated", subject="office")
    shown = show_memory(connection, 1, namespace="default")
    assert [row["id"] for row in shown.versions] == [1, 2]
    assert [row["cause"] for row in shown.moves] == ["superseded"]
    assert (shown.votes, shown.conflicts) == ([], [])
    with pytest.raises(InvalidArgumentError, match="no memory #3"):
        show_memory(connection, 3, namespace="default")
    with pytest.raises(InvalidArgumentError, match="no memory #1"):
        show_memory(connection, 1, namespace="elsewhere")
