"""What a person does with memories of every tier, and `undo` of each: the file is as it was, bit for bit."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.stores import START, write_one

from firmmem.contract import PERSON, NewMemory
from firmmem.errors import InvalidArgumentError
from firmmem.memory.hand.action import record_action
from firmmem.memory.hand.by_person import add_memory, archive_by_person, restore_by_person, vote_by_person
from firmmem.memory.hand.undo import TakingBack, find_last_action
from firmmem.memory.life.history import list_versions
from firmmem.memory.life.undo import require_undoable
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.memory.write.edit import Edit, edit_memory
from firmmem.memory.write.goals import close_goal, open_goal
from firmmem.memory.write.proposals import accept_proposal, list_proposals, refuse_proposal, store_proposal
from firmmem.memory.write.write import check_memory
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, transaction

LATER = START + DAY
SPACE = {"namespace": "default", "now": LATER}


@pytest.fixture
def person(settings: Settings) -> Iterator[Connection]:
    """A connection by a person, on a store with a memory of each tier."""
    connection = open_connection(settings, by_person=True)
    with transaction(connection):
        write_one(connection, settings, "The user's name is Ada", tier="core", subject="user.name")
        write_one(connection, settings, "Ship in May", tier="strategic", goal_id="beta", tags=("plan",))
        write_one(connection, settings, "The office is in Lisbon", tier="validated", subject="office", tags=("a", "b"))
        write_one(connection, settings, "The cat is grey", tags=("cat",))
        write_one(connection, settings, "The kettle leaks")
    yield connection
    connection.close()


def act(connection: Connection, deed: Callable[[], Any], verb: str = "test") -> int:
    """Do something as a person does, and return its run."""
    with transaction(connection), record_action(connection, verb, now=LATER) as action:
        deed()
    return action.run


def undo(connection: Connection, settings: Settings, run: int) -> tuple[int, list[str]]:
    require_undoable(connection, run)
    taking, more, total, told = TakingBack(run, settings), True, 0, []
    while more:
        with transaction(connection):
            count, lines, more = taking.chunk(connection, now=LATER + 60)
        total += count
        told += lines
    return total, told


def state(connection: Connection, *, but_versions: bool = True) -> dict[str, list[tuple[Any, ...]]]:
    """Everything a person sees of the five memories, bit for bit, and what finds them."""
    versions = "WHERE id <= 5" if but_versions else ""
    return {
        "memory": [tuple(row) for row in connection.execute(f"SELECT * FROM memory {versions} ORDER BY id")],
        "tags": [
            tuple(row) for row in connection.execute("SELECT * FROM memory_tag WHERE memory <= 5 ORDER BY 1, 2, 3")
        ],
        "goals": [tuple(row) for row in connection.execute("SELECT * FROM goal WHERE opened_at IS NOT NULL")],
        "words": [
            tuple(row)
            for row in connection.execute(
                "SELECT rowid FROM memory_words WHERE memory_words MATCH 'the OR ship OR dog OR tea' ORDER BY rowid"
            )
            if row[0] & 0xFFFFFFFF <= 5
        ],
    }


EDITS = {
    "a core fact's text": (1, Edit("The user's name is Grace")),
    "a core fact becomes strategic": (1, Edit(tier="strategic", goal="beta")),
    "a goal, tags and importance": (2, Edit(tags=("new",), goal="gamma", importance=0.9)),
    "a validated one is a core fact": (3, Edit(tier="core")),
    "a validated one is a draft": (3, Edit("The office is in Porto", tier="draft", subject="")),
    "a draft is validated": (4, Edit("The dog is grey", tier="validated", subject="pet", tags=())),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_every_tier_is_kept_as_history_and_taken_back(
    person: Connection, settings: Settings, name: str
) -> None:
    memory_id, edit = EDITS[name]
    before = state(person)
    run = act(person, lambda: edit_memory(person, memory_id, edit, settings, **SPACE))
    after = state(person)
    assert after != before
    old, new = list_versions(person, memory_id, namespace="default")[::-1]
    assert (new["id"], new["source"], new["state"]) == (memory_id, "person", "active") or new["superseded_by"]
    assert old["superseded_by"] == memory_id or new["superseded_by"] == memory_id
    assert undo(person, settings, run)[1] == []
    assert state(person) == before


def test_editing_what_is_the_same_changes_and_records_nothing(person: Connection, settings: Settings) -> None:
    before = state(person, but_versions=False)
    run = act(person, lambda: edit_memory(person, 3, Edit("The office is in Lisbon"), settings, **SPACE))
    assert run == 0
    assert state(person, but_versions=False) == before
    with pytest.raises(InvalidArgumentError, match="nothing that a person did"):
        find_last_action(person)


def test_an_edit_can_not_make_two_memories_say_the_same_or_be_about_the_same(
    person: Connection, settings: Settings
) -> None:
    for edit, named in ((Edit("The kettle leaks."), "#5"), (Edit(subject="office"), "#3")):
        with pytest.raises(InvalidArgumentError, match=named), transaction(person):
            edit_memory(person, 4, edit, settings, **SPACE)


def test_what_is_history_or_not_there_is_not_edited(person: Connection, settings: Settings) -> None:
    act(person, lambda: edit_memory(person, 4, Edit("The cat is black"), settings, **SPACE))
    with pytest.raises(InvalidArgumentError, match="#6 is history: edit #4"):
        edit_memory(person, 6, Edit("The cat is white"), settings, **SPACE)
    with pytest.raises(InvalidArgumentError, match="no memory #99"):
        edit_memory(person, 99, Edit("x"), settings, **SPACE)


def test_edits_are_taken_back_in_the_order_in_which_they_were_made(person: Connection, settings: Settings) -> None:
    first = act(person, lambda: edit_memory(person, 4, Edit("The cat is black"), settings, **SPACE))
    second = act(person, lambda: edit_memory(person, 4, Edit("The cat is white"), settings, **SPACE))
    assert undo(person, settings, first) == (0, ["#4 stays as it is: it was edited again since: take that back first"])
    assert undo(person, settings, second) == (1, [])
    assert undo(person, settings, first) == (1, [])
    assert list_versions(person, 4, namespace="default")[0]["summary"] == "The cat is grey"


def test_votes_since_an_edit_stay_when_it_is_taken_back(person: Connection, settings: Settings) -> None:
    run = act(person, lambda: edit_memory(person, 4, Edit(tier="validated"), settings, **SPACE))
    with transaction(person):
        vote_by_person(person, [4], "negative", settings, **SPACE)
    assert undo(person, settings, run) == (1, [])
    [row] = person.execute("SELECT tier, trust FROM memory WHERE id = 4")
    assert (row["tier"], row["trust"]) == ("draft", pytest.approx(0.5 * (1 - settings.feedback_neg_delta)))


@pytest.mark.parametrize("tier", ["core", "strategic", "validated", "draft"])
def test_what_was_added_is_put_away_and_what_it_superseded_comes_back(
    person: Connection, settings: Settings, tier: Any
) -> None:
    before = state(person)
    new = NewMemory("The office is in Porto", tier, "default", subject="place" if tier == "core" else "office")
    run = act(person, lambda: add_memory(person, new, settings, now=LATER))
    assert undo(person, settings, run)[1] == []
    assert state(person) == before
    [row] = person.execute("SELECT shelf.state FROM memory JOIN shelf ON shelf.id = shelf WHERE memory.id = 6")
    assert row["state"] == "archived"


def test_adding_a_text_that_is_there_completes_it_and_that_is_taken_back(
    person: Connection, settings: Settings
) -> None:
    before = state(person)
    new = NewMemory("The cat is grey", "validated", "default", subject="cat", tags=("pet",))
    run = act(person, lambda: add_memory(person, new, settings, now=LATER))
    assert state(person) != before
    assert undo(person, settings, run)[1] == []
    assert state(person) == before


def test_archiving_and_restoring_reach_every_tier_and_are_taken_back(person: Connection, settings: Settings) -> None:
    before = state(person)
    run = act(person, lambda: archive_by_person(person, [1, 2, 3, 4, 9], settings, reason="moving out", **SPACE))
    away = state(person)
    changed = archive_by_person(person, [1], settings, **SPACE)
    assert (changed.lines, changed.done) == (
        ("#1 is a core fact: only a person removes it (firmmem core remove)",),
        0,
    ) or ("#1 is already archived" in changed.lines[0])
    back = act(person, lambda: restore_by_person(person, [1, 2, 3, 4, 9], settings, **SPACE))
    assert undo(person, settings, back) == (4, [])
    assert state(person) == away
    assert undo(person, settings, run)[0] == 0  # what moved again since stays
    back = act(person, lambda: restore_by_person(person, [1, 2, 3, 4], settings, **SPACE))
    assert [row["id"] for row in person.execute("SELECT id FROM memory WHERE shelf = 1 ORDER BY id")] == [1, 2, 3, 4, 5]
    assert [row[:3] for row in state(person)["tags"]] == [row[:3] for row in before["tags"]]


def test_a_memory_that_was_superseded_is_restored_and_history_again_when_that_is_undone(
    person: Connection, settings: Settings
) -> None:
    with transaction(person):
        write_one(person, settings, "The lamp is on", supersedes=(5,))
    run = act(person, lambda: restore_by_person(person, [5], settings, **SPACE))
    assert person.execute("SELECT superseded_by FROM memory WHERE id = 5").fetchone()[0] is None
    assert undo(person, settings, run) == (1, [])
    assert person.execute("SELECT superseded_by FROM memory WHERE id = 5").fetchone()[0] == 6


def test_a_vote_is_taken_back_and_the_one_that_it_replaced_counts_again(person: Connection, settings: Settings) -> None:
    before = state(person)
    first = act(person, lambda: vote_by_person(person, [4], "verified", settings, note="seen", **SPACE))
    firm = state(person)
    second = act(person, lambda: vote_by_person(person, [4, 1], "negative", settings, **SPACE))
    assert undo(person, settings, second) == (1, [])
    assert [row[1:6] for row in state(person)["memory"]] == [row[1:6] for row in firm["memory"]]
    assert undo(person, settings, second)[1] == ["#4 stays as it is: that vote counts no longer"]
    assert undo(person, settings, first)[1] == []
    [(trust, tier)] = [tuple(row) for row in person.execute("SELECT trust, tier FROM memory WHERE id = 4")]
    assert (trust, tier) == (before["memory"][3][6], "draft")


def test_a_branch_that_a_person_verified_is_a_branch_again(person: Connection, settings: Settings) -> None:
    with transaction(person):
        write_one(person, settings, "The office is in Porto", branch="guess", subject="office")
    before = [tuple(row) for row in person.execute("SELECT id, shelf, identity, superseded_by FROM memory ORDER BY id")]
    run = act(person, lambda: vote_by_person(person, [6], "verified", settings, **SPACE))
    undo(person, settings, run)
    assert before == [
        tuple(row) for row in person.execute("SELECT id, shelf, identity, superseded_by FROM memory ORDER BY id")
    ]


def test_goals_are_as_they_were(person: Connection, settings: Settings) -> None:
    before = state(person)
    closing = act(person, lambda: close_goal(person, "beta", **SPACE))
    assert undo(person, settings, closing) == (2, [])
    assert state(person) == before
    opening = act(person, lambda: open_goal(person, "delta", **SPACE))
    assert undo(person, settings, opening) == (1, [])
    assert [row["opened_at"] for row in person.execute("SELECT * FROM goal WHERE name = 'delta'")] == [None]


def test_decisions_on_proposals_are_taken_back(person: Connection, settings: Settings) -> None:
    new = check_memory(NewMemory("Speaks French", "core", "default"), settings)
    with transaction(person):
        written = store_proposal(person, new, PERSON, now=START)
    for decide in (
        lambda: accept_proposal(person, written.id, settings, **SPACE),
        lambda: refuse_proposal(person, written.id, **SPACE),
    ):
        run = act(person, decide)
        assert list_proposals(person, "default") == []
        assert undo(person, settings, run)[1] == []
        assert [row["id"] for row in list_proposals(person, "default")] == [written.id]


def test_the_last_action_is_found_until_it_is_taken_back(person: Connection, settings: Settings) -> None:
    first = act(person, lambda: archive_by_person(person, [4], settings, **SPACE))
    second = act(person, lambda: archive_by_person(person, [5], settings, **SPACE))
    assert find_last_action(person) == second
    undo(person, settings, second)
    assert find_last_action(person) == first


def test_what_a_person_restores_stays_for_weeks(person: Connection, settings: Settings) -> None:
    act(person, lambda: archive_by_person(person, [4], settings, **SPACE))
    act(person, lambda: restore_by_person(person, [4], settings, **SPACE))
    [(moves,)] = person.execute("SELECT count(*) FROM move WHERE memory = 4 AND cause = 'person'")
    assert moves == 2
