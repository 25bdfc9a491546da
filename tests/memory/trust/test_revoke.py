"""Votes taken back, and the laws that trust keeps whatever is voted."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as given_settings
from hypothesis import strategies as st
from support.agent import Agent
from support.stores import START, YOUNG, Clock, planted, taken_back, write_one

from firmmem import scoring
from firmmem.cli.votes import revoke_all_votes
from firmmem.contract import Author
from firmmem.memory.life.tiers import DEMOTION, PROMOTION, shift_tier
from firmmem.memory.rows import chunks
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.memory.trust.feedback import record_feedback
from firmmem.memory.trust.revoke import Refolded, revoke_votes
from firmmem.memory.trust.votes import fold_votes, list_votes
from firmmem.settings import Settings
from firmmem.store.database import Database
from firmmem.store.opening import open_connection
from firmmem.store.sqlite import Error
from firmmem.store.statements import Connection, fetch, sql, transaction

OUTCOMES = ["negative", "positive", "verified"]  # from worst to best
VOTES = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("123"), st.sampled_from(OUTCOMES)), max_size=12)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Connection, Settings]]:
    settings = Settings(db=Path(tmp_path_factory.mktemp("laws")) / "firmmem.db")
    connection = open_connection(settings)
    connection.execute("PRAGMA synchronous = OFF")
    yield connection, settings
    connection.close()


def voted(store: tuple[Connection, Settings], votes: list[tuple[str, str, str]]) -> int:
    connection, settings = store
    with transaction(connection):
        memory = planted(connection)
        for client, session, outcome in votes:
            record_feedback(
                connection, [memory], outcome, Author(client, session), settings,
                namespace="default", branch="", note="", now=START,
            )  # type: ignore[arg-type]  # fmt: skip
    return memory


def cast(connection: Connection, settings: Settings, memory: int, outcome: Any, client: str, session: str) -> None:
    author = Author(client, session)
    record_feedback(connection, [memory], outcome, author, settings, namespace="default", branch="", note="", now=START)


def take_back(store: tuple[Connection, Settings], client: str, session: str = "") -> list[Refolded]:
    connection, settings = store
    with transaction(connection):
        return taken_back(connection, client, settings, session=session)


def row_of(connection: Connection, memory: int) -> dict[str, object]:
    return dict(connection.execute("SELECT * FROM memory WHERE id = ?", (memory,)).fetchone())


def trust_of(connection: Connection, memory: int) -> float:
    [[trust]] = connection.execute("SELECT trust FROM memory WHERE id = ?", (memory,)).fetchall()
    return float(trust)


@given(votes=VOTES)
@given_settings(deadline=None)  # the file is on a disk that others use
def test_trust_is_the_fold_of_the_votes_that_count(
    store: tuple[Connection, Settings], votes: list[tuple[str, str, str]]
) -> None:
    memory = voted(store, votes)
    latest = {(client, session): (number, outcome) for number, (client, session, outcome) in enumerate(votes)}
    counted = [vote["outcome"] for vote in list_votes(store[0], memory) if vote["counts"]]
    assert trust_of(store[0], memory) == fold_votes(0.5, counted, store[1])
    assert sorted(counted) == sorted(outcome for _, outcome in latest.values())


@given(votes=VOTES)
@given_settings(deadline=None)  # the file is on a disk that others use
def test_replaying_every_vote_that_counts_changes_nothing(
    store: tuple[Connection, Settings], votes: list[tuple[str, str, str]]
) -> None:
    connection, settings = store
    memory = voted(store, votes)
    before = row_of(connection, memory)
    count = len(list_votes(connection, memory))
    for vote in fetch(connection, "votes", memory=memory):
        author = Author(vote["client"], vote["session"])
        with transaction(connection):
            record_feedback(
                connection, [memory], vote["outcome"], author, settings,
                namespace="default", branch="", note="", now=START,
            )  # fmt: skip
    assert row_of(connection, memory) == before
    assert len(list_votes(connection, memory)) == count


@given(outcomes=st.lists(st.sampled_from(OUTCOMES), min_size=1, max_size=30), initial=st.floats(0, 1), at=st.data())
def test_a_better_vote_never_lowers_trust(outcomes: list[str], initial: float, at: st.DataObject) -> None:
    place = at.draw(st.integers(0, len(outcomes) - 1))
    better = OUTCOMES[at.draw(st.integers(OUTCOMES.index(outcomes[place]), 2))]
    improved = [*outcomes[:place], better, *outcomes[place + 1 :]]
    settings = Settings(db=Path("/nowhere"))
    assert fold_votes(initial, improved, settings) >= fold_votes(initial, outcomes, settings)


@given(trust=st.floats(0.3, 1), first=st.sampled_from(["positive", "negative"]))
def test_a_vote_for_and_one_against_lower_trust_in_either_order(trust: float, first: str) -> None:
    second = "negative" if first == "positive" else "positive"
    assert fold_votes(trust, [first, second], Settings(db=Path("/nowhere"))) < trust


@given(votes=VOTES)
@given_settings(deadline=None)  # the file is on a disk that others use
def test_with_every_vote_taken_back_a_memory_is_trusted_as_at_first(
    store: tuple[Connection, Settings], votes: list[tuple[str, str, str]]
) -> None:
    memory = voted(store, votes)
    take_back(store, "a")
    take_back(store, "b")
    row = row_of(store[0], memory)
    assert (row["trust"], row["tier"]) == (0.5, "draft")
    assert len(list_votes(store[0], memory)) >= len({(client, session) for client, session, _ in votes})
    assert not any(vote["counts"] for vote in list_votes(store[0], memory))


@given(votes=VOTES)
@given_settings(deadline=None)  # the file is on a disk that others use
def test_a_client_taken_back_leaves_what_the_others_alone_would_have(
    store: tuple[Connection, Settings], votes: list[tuple[str, str, str]]
) -> None:
    connection, _ = store
    memory = voted(store, votes)
    take_back(store, "a")
    alone = voted(store, [vote for vote in votes if vote[0] == "b"])
    here, there = row_of(connection, memory), row_of(connection, alone)
    assert here["trust"] == pytest.approx(there["trust"])
    b_verified_last = any(vote["outcome"] == "verified" for vote in fetch(connection, "votes", memory=memory))
    assert here["tier"] == "validated" or not b_verified_last
    take_back(store, "b")  # so that the next example begins with nothing to take back


@given(votes=VOTES, sessions=st.permutations("123"))
@given_settings(deadline=None)  # the file is on a disk that others use
def test_sessions_taken_back_one_by_one_end_where_the_client_does(
    store: tuple[Connection, Settings], votes: list[tuple[str, str, str]], sessions: list[str]
) -> None:
    memory = voted(store, votes)
    for session in sessions:
        take_back(store, "a", session)
    others = [vote["outcome"] for vote in fetch(store[0], "votes", memory=memory)]
    assert trust_of(store[0], memory) == fold_votes(0.5, others, store[1])
    assert not any(vote["counts"] and vote["client"] == "a" for vote in list_votes(store[0], memory))
    take_back(store, "b")


def test_taking_back_twice_takes_back_once(store: tuple[Connection, Settings]) -> None:
    memory = voted(store, [("a", "1", "negative")])
    assert [(each.id, each.votes, each.trust_after) for each in take_back(store, "a")] == [(memory, 1, 0.5)]
    assert take_back(store, "a") == []


def test_a_promotion_by_revoked_votes_is_undone_and_its_consolidation_stays(
    store: tuple[Connection, Settings],
) -> None:
    memory = voted(store, [("a", "1", "verified")])
    consolidation = row_of(store[0], memory)["consolidation"]
    [became] = take_back(store, "a")
    assert (became.tier_before, became.tier_after) == ("validated", "draft")
    row = row_of(store[0], memory)
    assert (row["tier"], row["trust"], row["consolidation"]) == ("draft", 0.5, consolidation)
    assert (row["half_life"], row["stream"]) == (7.0, 3000)


def test_a_promotion_that_someone_else_verified_too_stands(store: tuple[Connection, Settings]) -> None:
    memory = voted(store, [("a", "1", "verified"), ("b", "1", "verified")])
    take_back(store, "a")
    assert row_of(store[0], memory)["tier"] == "validated"
    take_back(store, "b")
    assert row_of(store[0], memory)["tier"] == "draft"


def test_a_promotion_earned_by_revoked_votes_is_checked_again(connection: Connection, settings: Settings) -> None:
    reviewed = replace(YOUNG, recall_count=5, consolidation=0.3)
    with transaction(connection):
        for memory in (planted(connection, reviewed), planted(connection, reviewed)):
            for session in range(20):
                client = "honest" if memory == 2 and session < 15 else "a"
                cast(connection, settings, memory, "positive", client, str(session))
        assert [shift_tier(connection, memory, PROMOTION, settings, run_id=1, now=START) for memory in (1, 2)] == [1, 1]
        taken_back(connection, "a", settings)
    assert [row_of(connection, memory)["tier"] for memory in (1, 2)] == ["draft", "validated"]


def test_a_memory_verified_anew_after_it_lost_its_tier_loses_it_again(
    connection: Connection, settings: Settings
) -> None:
    with transaction(connection):
        write_one(connection, settings, "The limit is 100", tier="validated")
        for session in range(5):
            cast(connection, settings, 1, "negative", "doubter", str(session))
        assert shift_tier(connection, 1, DEMOTION, settings, run_id=1, now=START) == 1
        cast(connection, settings, 1, "verified", "a", "1")
        assert row_of(connection, 1)["tier"] == "validated"
        revoke_votes(connection, "a", settings, now=START)
    assert row_of(connection, 1)["tier"] == "draft"


def test_a_negative_vote_taken_back_promotes_and_demotes_nothing(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        planted(connection)
        cast(connection, settings, 1, "verified", "b", "1")
        cast(connection, settings, 1, "positive", "b", "1")
        cast(connection, settings, 1, "negative", "a", "1")
        revoke_votes(connection, "a", settings, now=START)
    assert row_of(connection, 1)["tier"] == "validated"


def test_what_was_written_as_verified_stays_validated(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        write_one(connection, settings, "The limit is 100", tier="validated")
        record_feedback(
            connection, [1], "verified", Author("a", "1"), settings, namespace="default", branch="", note="", now=START
        )
        revoke_votes(connection, "a", settings, now=START)
    assert (row_of(connection, 1)["tier"], trust_of(connection, 1)) == ("validated", 0.7)


async def test_a_merge_by_revoked_votes_leaves_the_twin_as_it_was(database: Database, clock: Clock) -> None:
    agent = Agent(database, clock)
    await agent.write("The limit is 100")
    await agent.write("the limit is 100.", branch="idea")
    await agent.feedback("verified", 2)
    await database.write(revoke_votes, "a client", database.settings, now=clock())
    row = await agent.row(1)
    assert (row["tier"], row["trust"]) == ("draft", 0.5)


async def test_core_facts_keep_their_trust_when_votes_from_before_are_taken_back(
    database: Database, clock: Clock
) -> None:
    agent = Agent(database, clock)
    await agent.write("Is called Ada")
    await agent.feedback("negative", 1)
    await agent.write("Is called Ada", "core")
    [became] = await database.write(revoke_votes, "a client", database.settings, now=clock())
    assert (became.trust_before, became.trust_after) == (1.0, 1.0)
    assert (await agent.row(1))["tier"] == "core"


async def test_votes_are_taken_back_in_one_namespace_and_on_what_is_put_away(database: Database, clock: Clock) -> None:
    agent = Agent(database, clock)
    await agent.write("here")
    await agent.write("there", namespace="elsewhere")
    await agent.feedback("negative", 1)
    await agent.feedback("negative", 2, namespace="elsewhere")
    await agent.archive(1)
    await database.write(revoke_votes, "a client", database.settings, namespace="default", now=clock())
    assert [row["trust"] for row in await agent.rows()] == [0.5, 0.35]
    assert (await agent.row(1))["state"] == "archived"


async def test_a_session_votes_anew_once_its_vote_was_taken_back(database: Database, clock: Clock) -> None:
    agent = Agent(database, clock)
    await agent.write("Likes tea")
    await agent.feedback("negative", 1)
    await database.write(revoke_votes, "a client", database.settings, now=clock())
    await agent.feedback("negative", 1)
    assert (await agent.row(1))["trust"] == pytest.approx(0.35)


def test_revocations_are_only_added(store: tuple[Connection, Settings]) -> None:
    voted(store, [("a", "1", "negative")])
    take_back(store, "a")
    with pytest.raises(Error, match="only added to"):
        store[0].execute("UPDATE revocation SET at = 0")


def test_a_thousand_memories_are_taken_back_some_at_a_time(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        for _ in range(450):
            memory = planted(connection)
            record_feedback(
                connection, [memory], "negative", Author("a", "1"), settings,
                namespace="default", branch="", note="", now=START,
            )  # fmt: skip
    after, counts = 0, []
    while done := revoke_votes(connection, "a", settings, after=after, now=START + DAY):
        counts.append(len(done))
        after = done[-1].id
    assert sum(counts) == 450
    assert max(counts) <= 200
    assert connection.execute("SELECT count(*) FROM memory WHERE trust <> 0.5").fetchone()[0] == 0


def test_others_write_while_votes_are_taken_back(
    connection: Connection, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        voted((connection, settings), [("a", "1", "negative")])
    monkeypatch.setattr(chunks, "LONGEST", -1.0)  # a moment that has passed already
    done = []
    for each in revoke_all_votes(settings, "a", "", "", ""):
        done.append(each.id)
        with transaction(connection):
            write_one(connection, settings, f"Written after {each.id}")
        assert [trust_of(connection, memory) for memory in (1, 2, 3)].count(0.5) == len(done)
    assert done == [1, 2, 3]


def test_the_ranking_follows(connection: Connection, settings: Settings) -> None:
    with transaction(connection):
        planted(connection)
        record_feedback(
            connection, [1], "negative", Author("a", "1"), settings, namespace="default", branch="", note="", now=START
        )
        revoke_votes(connection, "a", settings, now=START)
    [[key]] = connection.execute("SELECT rank_key FROM memory").fetchall()
    factor = scoring.ranking_factor(1.0, YOUNG.importance, 0.5)
    assert key == pytest.approx(scoring.math.log(factor) + (START - 1_735_689_600.0) / DAY / 7.0)


def test_the_memories_of_a_client_are_read_in_order_from_an_index(connection: Connection) -> None:
    given = {"client": "a", "session": "", "namespace": "", "after": 0, "chunk": 200}
    plan = [row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql('voted_on')}", given)]
    assert any("vote_by_client (client=? AND memory>?)" in step for step in plan)
    assert not [step for step in plan if "TEMP B-TREE" in step]
