"""What is set aside, what is only told, and how it comes back."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from support.agent import Agent
from support.stores import START, YOUNG, Clock, planted

from firmmem.contract import Author
from firmmem.errors import InvalidArgumentError
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.memory.trust.anomalies import Group, examine
from firmmem.memory.trust.feedback import record_feedback
from firmmem.memory.trust.quarantine import Checked, quarantine_outliers, release, run_check
from firmmem.memory.trust.revoke import revoke_votes
from firmmem.store.database import Database
from firmmem.store.sqlite import Error
from firmmem.store.statements import Connection, fetch

GOOD = [0.5, 0.5, 0.55, 0.5, 0.595, 0.5, 0.45, 0.5]


async def plant(agent: Agent, *trusts: float, tier: str = "draft", **where: str) -> list[int]:
    """Memories with these trusts, by their ids."""

    def put(connection: Connection) -> list[int]:
        return [
            planted(connection, replace(YOUNG, tier=tier, trust=trust), **where)  # type: ignore[arg-type]
            for trust in trusts
        ]

    return await agent.database.write(put)


async def vote(agent: Agent, memory: int, outcome: str, *sessions: str) -> None:
    def cast(connection: Connection) -> None:
        for session in sessions:
            record_feedback(
                connection, [memory], outcome, Author("a client", session), agent.database.settings,
                namespace="default", branch="", note="", now=agent.clock(),
            )  # type: ignore[arg-type]  # fmt: skip

    await agent.database.write(cast)


async def checked(agent: Agent, run_id: int = 1) -> Checked:
    return await run_check(agent.database, agent.database.settings, now=agent.clock(), run_id=run_id)


async def looked(agent: Agent, namespace: str = "") -> list[Group]:
    return await examine(agent.database, agent.database.settings, now=agent.clock(), namespace=namespace)


async def table(agent: Agent, name: str) -> list[dict[str, object]]:
    def read(connection: Connection) -> list[dict[str, object]]:
        return [dict(row) for row in connection.execute(f"SELECT * FROM {name}")]

    return await agent.database.read(read)


def aside(done: Checked) -> list[int]:
    return [suspect.id for suspect in done.set_aside]


async def test_what_is_trusted_far_too_little_is_set_aside_with_its_figures(agent: Agent) -> None:
    await plant(agent, *GOOD * 4)
    [bad] = await plant(agent, 0.05)
    assert aside(await checked(agent, run_id=7)) == [bad]
    row = await agent.row(bad)
    assert (row["state"], row["state_cause"], row["state_at"]) == ("quarantined", "anomaly", START)
    [reason] = await table(agent, "quarantine")
    assert (reason["memory"], reason["run"], reason["metric"], reason["n"]) == (bad, 7, "trust", 33)
    assert reason["value"] == 0.05
    assert reason["centre"] == pytest.approx(sum(GOOD * 4, 0.05) / 33)
    assert "spreads below the mean 0.5" in str(reason["reason"])
    assert bad not in await agent.found(limit=100)
    [move] = [move for move in await table(agent, "move") if move["cause"] == "anomaly"]
    assert (move["run"], move["memory"]) == (7, bad)


async def test_a_tenth_of_bad_ones_is_set_aside_too(agent: Agent) -> None:
    bad = await plant(agent, 0.05, 0.06, 0.04, 0.07)
    await plant(agent, *GOOD * 4)
    assert aside(await checked(agent)) == bad
    assert all("median" in str(row["reason"]) for row in await table(agent, "quarantine"))


async def test_below_twenty_memories_nothing_is_set_aside(agent: Agent) -> None:
    await plant(agent, 0.0, *[0.5] * 18)
    assert aside(await checked(agent)) == []
    await plant(agent, 0.5)
    assert aside(await checked(agent)) == [1]


async def test_more_than_a_fifth_raises_an_alert_and_nothing_is_set_aside(agent: Agent) -> None:
    bad = await plant(agent, *[0.05] * 9)
    await plant(agent, *GOOD * 4)
    done = await checked(agent, run_id=3)
    assert aside(done) == []
    [alert] = done.alerts
    assert (alert.kind, alert.count) == ("many", 9)
    [kept] = await table(agent, "alert")
    assert (kept["kind"], kept["count"], kept["n"], kept["run"]) == ("many", 9, 41, 3)
    assert len(await agent.found(limit=100)) == 9 + 32
    assert bad[0] in [memory for memory, _ in alert.memories]


async def test_an_alert_stands_until_a_check_no_longer_finds_it(agent: Agent) -> None:
    bad = await plant(agent, *[0.05] * 9)
    await plant(agent, *GOOD * 4)
    await checked(agent, run_id=1)
    agent.clock.pass_days(1)
    await checked(agent, run_id=2)
    [alert] = await table(agent, "alert")
    assert (alert["first_at"], alert["at"]) == (START, START + DAY)
    await agent.archive(*bad)
    await checked(agent, run_id=3)
    assert await table(agent, "alert") == []


async def test_each_namespace_and_tier_is_looked_at_by_itself(agent: Agent) -> None:
    await plant(agent, *[0.5] * 25)
    await plant(agent, *[0.9] * 25, tier="validated")
    low = await plant(agent, 0.3, tier="validated")
    await plant(agent, *[0.3] * 25, namespace="wary")
    await plant(agent, 0.1, namespace="small")
    assert aside(await checked(agent)) == low


async def test_one_namespace_is_looked_at_alone(agent: Agent) -> None:
    await plant(agent, 0.05, *GOOD * 4)
    [other] = await plant(agent, 0.05, namespace="B")
    await plant(agent, *GOOD * 4, namespace="B")
    [group] = await looked(agent, namespace="B")
    assert [suspect.id for suspect in group.suspects] == [other]
    assert aside(await checked(agent)) == [other, 1]


async def test_core_facts_and_branches_take_no_part(agent: Agent) -> None:
    await plant(agent, *[1.0] * 30, tier="core")
    await plant(agent, *[0.5] * 30, branch="idea")
    await plant(agent, 0.01, branch="idea")
    await plant(agent, *[0.5] * 10)
    groups = await looked(agent)
    assert [(group.tier, group.trust.n) for group in groups] == [("draft", 10)]
    assert aside(await checked(agent)) == []


async def test_a_fall_by_two_sessions_below_the_floor_is_set_aside_even_in_a_small_store(agent: Agent) -> None:
    [fallen, doubted] = await plant(agent, 0.5, 0.5)
    await vote(agent, fallen, "negative", "one", "two")
    await vote(agent, doubted, "negative", "one")
    done = await checked(agent)
    assert aside(done) == [fallen]
    [suspect] = done.set_aside
    assert (suspect.metric, suspect.centre, suspect.value) == ("fall", 0.5, pytest.approx(0.245))
    assert suspect.reason == "trust fell from 0.50 to 0.24 by 2 sessions' votes"


async def test_one_session_alone_sets_nothing_aside(agent: Agent) -> None:
    [one] = await plant(agent, 0.5)
    for _ in range(100):
        await vote(agent, one, "negative", "the only one")
        await vote(agent, one, "positive", "the only one")
    await vote(agent, one, "negative", "the only one")
    assert aside(await checked(agent)) == []


async def test_a_fall_that_ends_above_the_floor_is_only_listed(agent: Agent) -> None:
    [firm] = await plant(agent, 0.8, tier="strategic")
    await vote(agent, firm, "negative", "one", "two")
    done = await checked(agent)
    assert aside(done) == []
    [turn] = done.groups[0].falls
    assert (turn.id, turn.before, turn.now, turn.voters) == (firm, 0.8, pytest.approx(0.392), 2)


async def test_a_fall_of_long_ago_is_not_sudden(agent: Agent) -> None:
    [fallen] = await plant(agent, 0.5)
    await vote(agent, fallen, "negative", "one", "two")
    agent.clock.pass_days(8)
    done = await checked(agent)
    assert (aside(done), done.groups[0].falls) == ([], [])


async def test_revoked_votes_make_no_fall(agent: Agent) -> None:
    [fallen] = await plant(agent, 0.5)
    await vote(agent, fallen, "negative", "one", "two", "three")
    await agent.database.write(revoke_votes, "a client", agent.database.settings, session="two", now=agent.clock())
    await agent.database.write(revoke_votes, "a client", agent.database.settings, session="three", now=agent.clock())
    assert aside(await checked(agent)) == []


async def test_stuffed_votes_raise_an_alert(agent: Agent) -> None:
    [stuffed] = await plant(agent, 0.5)
    await vote(agent, stuffed, "positive", *map(str, range(8)))
    [alert] = (await checked(agent)).alerts
    assert (alert.kind, alert.count, alert.memories[0][0]) == ("rise", 1, stuffed)
    assert (await agent.row(stuffed))["state"] == "active"


async def test_what_is_trusted_far_above_the_others_raises_an_alert(agent: Agent) -> None:
    await plant(agent, *GOOD * 4)
    [out] = await plant(agent, 0.95)
    [alert] = (await checked(agent)).alerts
    assert (alert.kind, alert.memories) == ("high", ((out, 0.95),))


async def test_old_memories_are_listed_by_their_rfm_and_stay(agent: Agent) -> None:
    def put(connection: Connection) -> None:
        for days in [1.0] * 30 + [60.0] * 2:
            planted(connection, replace(YOUNG, reviewed_at=START - days * DAY))

    await agent.database.write(put)
    done = await checked(agent)
    assert aside(done) == []
    assert [memory for memory, _ in done.groups[0].faded] == [31, 32]


async def test_a_memory_that_changed_since_it_was_looked_at_is_left_alone(agent: Agent) -> None:
    await plant(agent, 0.05, 0.06, 0.04, *GOOD * 4)
    [group] = await looked(agent)
    await vote(agent, 1, "positive", "one")
    await agent.archive(2)
    done, _ = await agent.database.write(quarantine_outliers, group.suspects, now=agent.clock(), run_id=1)
    assert [suspect.id for suspect in done] == [3]
    assert [(await agent.row(number))["state"] for number in (1, 2, 3)] == ["active", "archived", "quarantined"]
    assert (await agent.row(1))["trust"] == pytest.approx(0.145)


async def test_a_released_memory_stays_until_it_is_voted_against_again(agent: Agent) -> None:
    await plant(agent, 0.05, *GOOD * 4)
    assert aside(await checked(agent, 1)) == [1]
    agent.clock.pass_days(1)
    await agent.database.write(release, 1, namespace="default", reason="it is right", now=agent.clock())
    row = await agent.row(1)
    assert (row["state"], row["state_cause"], row["state_reason"]) == ("active", "person", "it is right")
    assert 1 in await agent.found(limit=100)
    agent.clock.pass_days(1)
    assert aside(await checked(agent, 2)) == []
    await vote(agent, 1, "negative", "one")
    assert aside(await checked(agent, 3)) == [1]
    assert len(await table(agent, "quarantine")) == 2


async def test_a_memory_comes_back_as_it_was(agent: Agent) -> None:
    await plant(agent, 0.05, *GOOD * 4)
    before = await agent.row(1)
    await checked(agent)
    await agent.database.write(release, 1, namespace="default", now=agent.clock())
    after = await agent.row(1)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"state_cause", "state_reason"}


@pytest.mark.parametrize("memory", [1, 2, 99])
async def test_only_what_is_in_quarantine_in_this_namespace_is_released(agent: Agent, memory: int) -> None:
    await agent.write("here")
    await agent.write("there", namespace="elsewhere")
    with pytest.raises(InvalidArgumentError, match="not in quarantine"):
        await agent.database.write(release, memory, namespace="default", now=agent.clock())


async def test_a_memory_whose_subject_is_taken_is_not_released(agent: Agent) -> None:
    await agent.write("The plan is A", subject="plan")
    await agent.quarantine(1)
    await agent.write("The plan is B", subject="plan")
    with pytest.raises(InvalidArgumentError, match="as #2 is: archive that one first"):
        await agent.database.write(release, 1, namespace="default", now=agent.clock())


@dataclass
class Counted:
    """The file, with how often it is written."""

    database: Database
    writes: int = 0

    async def read(self, function: Callable[..., Any], *args: Any, **said: Any) -> Any:
        return await self.database.read(function, *args, **said)

    async def write(self, function: Callable[..., Any], *args: Any, **said: Any) -> Any:
        self.writes += 1
        return await self.database.write(function, *args, **said)


async def test_many_suspects_are_set_aside_some_at_a_time(agent: Agent) -> None:
    bad = await plant(agent, *[0.05] * 250)
    await plant(agent, *GOOD * 150)
    file = Counted(agent.database)
    done = await run_check(file, agent.database.settings, now=agent.clock(), run_id=1)
    assert aside(done) == bad
    assert file.writes >= 3  # two chunks or more, and the alerts


async def test_a_check_repeated_changes_nothing_more(agent: Agent) -> None:
    await plant(agent, 0.05, *GOOD * 4)
    await checked(agent, 1)
    before = await agent.rows()
    for run_id in range(2, 102):
        assert aside(await checked(agent, run_id)) == []
    assert await agent.rows() == before


async def test_reasons_are_only_added(agent: Agent) -> None:
    await plant(agent, 0.05, *GOOD * 4)
    await checked(agent)

    def change(connection: Connection) -> None:
        connection.execute("UPDATE quarantine SET reason = ''")

    with pytest.raises(Exception, match="only added") as caught:
        await agent.database.write(change)
    assert isinstance(caught.value.__cause__, Error)


async def test_what_is_set_aside_is_shown_with_its_reason(agent: Agent) -> None:
    await plant(agent, 0.05, *GOOD * 4)
    await checked(agent, 5)
    await agent.write("by another way")
    await agent.quarantine(34)
    rows = await agent.database.read(fetch, "quarantined", namespace="default", most=10)
    assert {(row["id"], row["run"]) for row in rows} == {(1, 5), (34, None)}


async def test_the_threshold_is_a_setting(agent: Agent, clock: Clock) -> None:
    await plant(agent, 0.3, *[0.65, 0.4, 0.6, 0.45] * 10)

    async def suspects(threshold: float) -> list[Group]:
        settings = agent.database.settings.model_copy(update={"normal_std_threshold": threshold})
        return await examine(agent.database, settings, now=clock())

    assert (await suspects(3.0))[0].suspects == []
    assert [suspect.id for suspect in (await suspects(1.5))[0].suspects] == [1]
