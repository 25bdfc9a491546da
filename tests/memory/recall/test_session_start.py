"""Where a session starts: all core facts, open goals, the last sessions, then the rest, within the budget."""

from dataclasses import replace

import pytest
from support.agent import Agent
from support.stores import AUTHOR, START, YOUNG, planted, write_one

from firmmem.contract import TIERS, Author, Question, Recalled
from firmmem.memory.recall.recall import find
from firmmem.memory.recall.session_start import CORE_SHARE
from firmmem.memory.recall.token_budget import line_cost
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.memory.rows.sessions import HOUR
from firmmem.memory.write.goals import close_goal
from firmmem.settings import Settings
from firmmem.store.statements import Connection, transaction

LATER = Author("a client", "a later session")


def start(connection: Connection, settings: Settings, *, days: float = 1.0, **asked: object) -> Recalled:
    return find(connection, Question("default", **asked), settings, now=START + days * DAY)  # type: ignore[arg-type]


def section(found: Recalled, kind: str) -> list[str]:
    """Return what the sections of a kind show."""
    shown, first = [], 0
    for each in found.sections:
        if each.kind == kind:
            shown += [memory.summary for memory in found.memories[first : first + each.size]]
        first += each.size
    return shown


def lived_in(connection: Connection, settings: Settings) -> None:
    """Write 12 core facts, two memories of each of three goals, and three sessions, the last of them the shortest."""
    with transaction(connection):
        for number in range(12):
            write_one(connection, settings, f"Core fact {number}", tier="core", now=START - 60 * DAY)
        for number in range(6):
            goal = f"goal {number % 3}"
            now = START - (50 - number) * DAY
            write_one(connection, settings, f"Plan {number} of {goal}", tier="strategic", goal_id=goal, now=now)
        for day, count in ((-9, 40), (-5, 6), (0, 4)):
            for number in range(count):
                write_one(connection, settings, f"Note {number} of day {day}", now=START + day * DAY + number * 60)


def test_every_core_fact_every_goal_and_the_last_sessions_notes_are_there(
    connection: Connection, settings: Settings
) -> None:
    lived_in(connection, settings)
    found = start(connection, settings)
    assert [each.kind for each in found.sections] == ["core", "goals", "session", "session", "session"]
    assert section(found, "core") == [f"Core fact {number}" for number in range(12)]
    assert section(found, "goals") == [f"Plan {number} of goal {number % 3}" for number in (5, 4, 3, 2, 1, 0)]
    assert section(found, "session")[:4] == [f"Note {number} of day 0" for number in (3, 2, 1, 0)]
    assert section(found, "session")[4:10] == [f"Note {number} of day -5" for number in (5, 4, 3, 2, 1, 0)]
    assert found.cut_by == "token_budget"
    assert sum(line_cost(memory, explain=False) for memory in found.memories) <= 1500
    assert found.left_out == {"draft": 50 - sum(memory.tier == "draft" for memory in found.memories)}


def test_the_rest_follows_by_score_over_all_tiers(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        low = planted(connection, replace(YOUNG, tier="validated", trust=0.1, reviewed_at=START - 90 * DAY))
        high = planted(connection, replace(YOUNG, trust=0.9, reviewed_at=START - 2 * DAY), created_at=START - 95 * DAY)
        for number in (3, 2, 1):
            write_one(connection, settings, f"Note {number}", now=START - number * DAY)
    found = start(connection, settings, days=0)
    assert [memory.id for memory in found.memories][-2:] == [high, low]
    assert section(found, "more") == [found.memories[-2].summary, found.memories[-1].summary]


def test_what_is_superseded_or_of_a_closed_goal_is_not_shown(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        old = write_one(connection, settings, "Launch on 1 March", tier="strategic", goal_id="launch")
        write_one(connection, settings, "Launch on 15 March", tier="strategic", goal_id="launch", supersedes=(old.id,))
        write_one(connection, settings, "Move to Lisbon", tier="strategic", goal_id="move")
        close_goal(connection, "move", namespace="default", now=START)
    assert section(start(connection, settings), "goals") == ["Launch on 15 March"]


def test_core_facts_past_the_budget_leave_a_share_to_others_and_rules_come_first(
    connection: Connection, settings: Settings
) -> None:
    with transaction(connection):
        for number in range(90):
            tags = ("规则",) if number > 85 else ()
            write_one(connection, settings, f"A core fact with some words to it, {number}", tier="core", tags=tags)
        write_one(connection, settings, "Ship in May", tier="strategic", goal_id="beta")
        write_one(connection, settings, "The last thing done")
    found = start(connection, settings)
    core = [memory for memory in found.memories if memory.tier == "core"]
    assert [memory.id for memory in core[:5]] == [87, 88, 89, 90, 1]
    assert 0.9 * CORE_SHARE <= sum(line_cost(memory, explain=False) for memory in core) / 1440 <= CORE_SHARE
    assert section(found, "goals") == ["Ship in May"]
    assert section(found, "session") == ["The last thing done"]
    assert found.notes == (f"{90 - len(core)} more core facts: tiers=core with a token_budget of 20000 shows them",)


def test_a_limit_of_the_callers_cuts_and_leaves_a_third_to_others(connection: Connection, settings: Settings) -> None:
    lived_in(connection, settings)
    found = start(connection, settings, limit=9)
    assert len(found.memories) == 9
    assert len(section(found, "core")) == 6
    assert len(section(found, "goals")) == 3
    assert found.cut_by == "limit"


def test_a_tiny_budget_still_shows_something(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        write_one(connection, settings, "A core fact " * 40, tier="core")
    found = start(connection, settings, token_budget=50)
    assert found.memories[0].summary.endswith("…")
    assert found.notes[0] == "#1 is cut to the token_budget"


def test_an_empty_store_has_nothing_to_start_with(connection: Connection, settings: Settings) -> None:
    assert start(connection, settings) == Recalled(())


def test_hundreds_of_goals_leave_room_for_the_last_session(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        for number in range(300):
            write_one(
                connection, settings, f"Plan for {number}", tier="strategic", goal_id=f"g{number}", now=START + number
            )
        write_one(connection, settings, "What was done last", now=START + HOUR)
    found = start(connection, settings)
    assert section(found, "goals")[:2] == ["Plan for 299", "Plan for 298"]
    assert section(found, "session")[:1] == ["What was done last"]


async def test_the_callers_own_session_is_told_as_such(agent: Agent) -> None:
    await agent.write("Written yesterday")
    agent.clock.pass_days(1)
    await agent.write("Written a moment ago")
    kinds = [each.kind for each in (await agent.recall()).sections]
    assert kinds == ["now", "session"]


def test_before_there_were_sessions_gaps_in_time_make_them(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        for hours in (-30, -29, -2, -1):
            planted(connection, created_at=START + hours * HOUR)
    sizes = [each.size for each in start(connection, settings, days=0).sections if each.kind == "session"]
    assert sizes == [2, 2]


def test_two_clients_at_once_are_two_sessions(connection: Connection, settings: Settings) -> None:
    from firmmem.contract import NewMemory
    from firmmem.memory.write.write import check_memory, store_memory

    with transaction(connection):
        for number in range(6):
            author = (AUTHOR, Author("another", "its session"))[number % 2]
            new = check_memory(NewMemory(f"note {number}", "draft", "default"), settings)
            store_memory(connection, new, author, settings, now=START + number)
    found = start(connection, settings)
    assert [(each.client, each.size) for each in found.sections] == [("another", 3), ("a client", 3)]


@pytest.mark.parametrize(
    "asked", [{"tags": ("x",)}, {"tiers": TIERS[:2]}, {"goal_id": "g"}, {"include_archived": True}]
)
def test_a_narrower_question_has_no_sections(
    connection: Connection, settings: Settings, asked: dict[str, object]
) -> None:
    lived_in(connection, settings)
    assert start(connection, settings, **asked).sections == ()
