import logging
import threading
from dataclasses import replace

import anyio
import pytest
from support.agent import Agent
from support.keeper import BY_NAME, QUICK, Keeper, _no_pauses  # noqa: F401 - a fixture
from support.stores import START, YOUNG, Clock, planted

from firmmem.memory.life.tiers import DEMOTION, PROMOTION, shift_tier
from firmmem.memory.rows import chunks
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.settings import Settings
from firmmem.store.database import Database, open_database
from firmmem.store.statements import Connection, run, transaction
from firmmem.upkeep import held
from firmmem.upkeep.daily import find_unanalysed
from firmmem.upkeep.held import HOUR, LEASE, Held, Job, claim_job, is_due, perform_job
from firmmem.upkeep.schedule import JOBS

FADED = replace(YOUNG, reviewed_at=START - 100 * DAY)


@pytest.fixture
def agent(database: Database, clock: Clock) -> Agent:
    return Agent(database, clock)


@pytest.fixture
async def keeper(database: Database, clock: Clock) -> Keeper:
    return Keeper(database, clock)


def counting(name: str = "counting", period: float = HOUR) -> tuple[Job, list[float]]:
    """A job that notes when it ran."""
    ran: list[float] = []

    async def work(held: Held) -> str:
        ran.append(held.began_at)
        return "done"

    return Job(name, period, work), ran


async def test_a_job_runs_once_a_period(database: Database, clock: Clock) -> None:
    job, ran = counting()
    for _ in range(4 * 60):
        await perform_job(database, job, clock)
        clock.now += 60
    assert [(at - START) / HOUR for at in ran] == [0, 1, 2, 3]


async def test_several_processes_do_the_work_once(settings: Settings, clock: Clock) -> None:
    job, ran = counting()
    async with (
        open_database(settings) as first,
        open_database(settings) as second,
        open_database(settings) as third,
        anyio.create_task_group() as tasks,
    ):
        for database in (first, second, third) * 5:
            tasks.start_soon(perform_job, database, job, clock)
    assert ran == [START]


@pytest.mark.parametrize("step", [-1 / 24, -400.0, 3650.0])
async def test_a_clock_that_is_set_does_not_stop_the_work(database: Database, clock: Clock, step: float) -> None:
    job, ran = counting()
    await perform_job(database, job, clock)
    clock.pass_days(step)
    await perform_job(database, job, clock)
    clock.now += HOUR + 1
    await perform_job(database, job, clock)
    assert len(ran) == 3


async def test_clocks_that_differ_a_little_do_not_make_it_run_twice(database: Database, clock: Clock) -> None:
    job, ran = counting()
    await perform_job(database, job, clock)
    clock.now -= 30
    await perform_job(database, job, clock)
    assert len(ran) == 1


async def test_a_run_whose_process_died_is_begun_anew_once_its_claim_lapses(
    database: Database, clock: Clock, keeper: Keeper
) -> None:
    job, ran = counting()
    assert await database.write(claim_job, job, forced=False, now=clock.now) == 1
    clock.now += LEASE - 1
    assert await perform_job(database, job, clock) is None
    clock.now += 2
    assert await perform_job(database, job, clock) == "done"
    assert len(ran) == 1
    [died] = await keeper.query("SELECT result, failed FROM run")
    assert died == {"result": "its process ended before it did", "failed": 1}


async def test_a_run_that_was_taken_over_changes_nothing_more(database: Database, clock: Clock) -> None:
    job, _ = counting()
    written: list[int] = []

    async def slow(held: Held) -> str:
        clock.now += LEASE + 1
        await perform_job(database, job, clock)  # another process
        await held.write(lambda _: written.append(1))
        return "done"

    assert await perform_job(database, replace(job, work=slow), clock) is None
    assert written == []


async def test_a_failed_run_is_logged_with_its_reason_and_the_next_one_happens(
    database: Database, clock: Clock, keeper: Keeper, caplog: pytest.LogCaptureFixture
) -> None:
    job, ran = counting()

    async def fail(held: Held) -> str:
        raise ValueError("no such luck")

    with caplog.at_level(logging.WARNING):
        assert await perform_job(database, replace(job, work=fail), clock) == "failed: no such luck"
    assert "upkeep: counting failed: no such luck" in caplog.text
    assert await keeper.query("SELECT job, result, failed FROM run") == [
        {"job": "counting", "result": "failed: no such luck", "failed": 1}
    ]
    clock.now += HOUR
    assert await perform_job(database, job, clock) == "done"
    assert len(ran) == 1


async def test_a_run_that_is_cancelled_lets_its_job_go(database: Database, clock: Clock) -> None:
    job, ran = counting()
    begun = anyio.Event()

    async def wait(held: Held) -> str:
        begun.set()
        await anyio.sleep_forever()
        return ""

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(perform_job, database, replace(job, work=wait), clock)
        await begun.wait()
        tasks.cancel_scope.cancel()
    assert await perform_job(database, job, clock) == "done"
    assert len(ran) == 1


async def test_every_job_runs_and_says_what_it_did(agent: Agent, keeper: Keeper) -> None:
    await agent.write("note")
    said = {name: (await keeper.run(name))[0] for name in BY_NAME}
    expected = {
        "tiers": "0 promoted, 0 demoted",
        "forget": "0 forgotten; what has faded is marked, for a day",
        "statistics": "1 recorded",
        "merge": "done",
        "purge": "0 purged",
        "optimize": "done",
        "integrity": "ok",
    }
    assert said | expected == said
    assert await keeper.query("SELECT * FROM run") == []


async def test_a_run_that_changed_nothing_leaves_no_trace_but_its_time(agent: Agent, keeper: Keeper) -> None:
    await agent.write("note")
    await keeper.days(10, each=24)
    assert await keeper.query("SELECT count(*) AS count FROM run") == [{"count": 0}]
    assert {row["last_run"] for row in await keeper.query("SELECT last_run FROM job WHERE name = 'forget'")} == {
        agent.clock.now
    }


async def test_a_damaged_file_is_told_by_the_integrity_check(
    database: Database, keeper: Keeper, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from firmmem.upkeep import daily

    monkeypatch.setattr(daily, "find_faults", lambda *_: ["row 3 missing from index memory_by_stream"])
    [said] = await keeper.run("integrity")
    assert said is not None
    assert "row 3 missing" in said
    assert "restore a backup" in caplog.text


@pytest.mark.parametrize(("mode", "said"), [("WAL", "ok"), ("DELETE", "not checked")])
async def test_a_check_gives_way_where_a_writer_would_have_to_wait_for_it(
    connection: Connection, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch, mode: str, said: str
) -> None:
    from firmmem.upkeep import daily

    monkeypatch.setattr(daily, "STEPS", 1)
    monkeypatch.setattr(daily, "QUIET", 0.0)
    planted(connection)
    connection.execute(f"PRAGMA journal_mode = {mode}")
    stopped = threading.Event()
    assert daily.find_faults(settings, stopped) == []
    with transaction(connection):
        planted(connection)
        found = daily.find_faults(settings, stopped)
    assert found == ([] if mode == "WAL" else None)
    async with open_database(settings) as database:

        async def work(run: Held) -> str:
            with transaction(connection):
                planted(connection)
                return await daily.check_integrity(run)

        result = await perform_job(database, Job("integrity", DAY, work), clock)
        assert result is not None
        assert result.startswith(said)
    stopped.set()
    assert daily.find_faults(settings, stopped) is None


async def test_what_sqlite_would_analyse_is_analysed_index_by_index(agent: Agent, keeper: Keeper) -> None:
    for number in range(30):
        await agent.write(f"note {number}", tags=("a",))
    indexes = {"memory_by_stream", "memory_by_search_id", "memory_by_created_at"}
    assert indexes <= set(await keeper.database.write(find_unanalysed))
    assert await keeper.run("optimize") == ["done"]
    assert indexes <= {row["idx"] for row in await keeper.query("SELECT idx FROM sqlite_stat1")}


async def test_the_parts_of_the_search_index_are_merged_some_pages_at_a_time(agent: Agent, keeper: Keeper) -> None:
    async def parts() -> int:
        [row] = await keeper.query("SELECT count(DISTINCT segid) AS count FROM memory_words_idx")
        return int(row["count"])

    words = [f"note {number} of {'abcdefgh'[number % 8] * 9}{number}" for number in range(150)]
    for text in words:
        await agent.write(text)
    before = await parts()
    assert await keeper.run("merge") == ["done"]
    merged = await parts()
    assert before > 5
    assert merged <= 3
    index = await keeper.query("SELECT * FROM memory_words_data ORDER BY id")
    agent.clock.now += HOUR + 1
    assert await keeper.run("merge") == ["done"]
    assert await keeper.query("SELECT * FROM memory_words_data ORDER BY id") == index, "there is nothing to do again"
    check = "INSERT INTO memory_words (memory_words, rank) VALUES ('integrity-check', 1)"
    await keeper.database.write(lambda connection: connection.execute(check) and None)
    for text in words[::10]:
        assert [memory.summary for memory in (await agent.recall(text, limit=1)).memories] == [text]


async def test_trust_and_reviews_make_a_draft_validated_and_lost_trust_a_draft_again(
    database: Database, clock: Clock, keeper: Keeper
) -> None:
    def plant(connection: Connection) -> None:
        for life in (
            replace(YOUNG, trust=0.75, recall_count=3),
            replace(YOUNG, trust=0.75, recall_count=2),
            replace(YOUNG, trust=0.65, recall_count=9),
            replace(YOUNG, tier="validated", trust=0.35),
            replace(YOUNG, tier="validated", trust=0.45),
            replace(YOUNG, tier="strategic", trust=0.1),
            replace(YOUNG, tier="core", trust=1.0),
        ):
            planted(connection, life)
        planted(connection, replace(YOUNG, trust=0.9, recall_count=9), branch="idea")

    await database.write(plant)
    before = await keeper.snapshot()
    assert await keeper.run("tiers") == ["1 promoted, 1 demoted"]
    after = await keeper.snapshot()
    assert [row["tier"] for row in after] == [
        "validated", "draft", "draft", "draft", "validated", "strategic", "core", "draft",
    ]  # fmt: skip
    for name in ("trust", "recall_count", "consolidation", "strength", "reviewed_at", "created_at"):
        assert [row[name] for row in after] == [row[name] for row in before]
    assert await keeper.query("SELECT memory, from_tier, to_tier, cause, run FROM move ORDER BY id") == [
        {"memory": 1, "from_tier": "draft", "to_tier": "validated", "cause": "earned", "run": 1},
        {"memory": 4, "from_tier": "validated", "to_tier": "draft", "cause": "distrusted", "run": 1},
    ]
    clock.pass_days(1)
    assert await keeper.run("tiers") == ["0 promoted, 0 demoted"]


async def test_tiers_move_across_all_that_is_looked_at_in_several_goes(
    database: Database, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plant(connection: Connection) -> None:
        for number in range(40):
            life = replace(YOUNG, trust=0.75 + number % 3 / 100, recall_count=2 + number % 2)
            planted(connection, life, namespace=f"space {number // 20}")
            planted(connection, replace(YOUNG, tier="validated", trust=0.1), namespace="space 2")

    monkeypatch.setattr(held, "LOOKED", 3)
    await database.write(plant)
    assert await keeper.run("tiers") == ["20 promoted, 40 demoted"]
    assert {row["recall_count"] for row in await keeper.query("SELECT * FROM memory WHERE tier = 'validated'")} == {3}


async def test_the_write_lock_is_not_held_while_tiers_are_looked_through(
    database: Database, clock: Clock, keeper: Keeper
) -> None:
    async def work(drafts: int) -> int:
        """Return how much the writing connection does when so many drafts are trusted and not reviewed enough."""
        steps: list[int] = []

        def plant(connection: Connection) -> None:
            for _ in range(drafts):
                planted(connection, replace(YOUNG, trust=0.9, recall_count=1))

        await database.write(plant)
        clock.now += HOUR
        await database.write(lambda connection: connection.set_progress_handler(lambda: steps.append(1), 10))
        assert await keeper.run("tiers") == ["0 promoted, 0 demoted"]
        await database.write(lambda connection: connection.set_progress_handler(None, 10))
        return len(steps)

    few = await work(10)
    assert await work(3_000) < 2 * few + 20


async def test_what_changed_since_it_was_looked_at_keeps_its_tier(database: Database, clock: Clock) -> None:
    def plant(connection: Connection) -> None:
        planted(connection, replace(YOUNG, trust=0.75, recall_count=2))
        planted(connection, replace(YOUNG, trust=0.75, recall_count=3), state="archived")
        planted(connection, replace(YOUNG, tier="validated", trust=0.9))

    await database.write(plant)
    for memory in (1, 2, 3, 4):
        for shift in (PROMOTION, DEMOTION):
            assert not await database.write(shift_tier, memory, shift, database.settings, run_id=1, now=clock.now)


async def test_a_memory_that_becomes_a_draft_is_not_forgotten_at_once(agent: Agent, keeper: Keeper) -> None:
    await keeper.days(1)
    await agent.write("The limit is 100", "validated")
    await keeper.days(60)
    for session in ("a", "b"):
        await Agent(agent.database, agent.clock, session).feedback("negative", 1)
    await keeper.days(15)
    row = await agent.row(1)
    assert (row["tier"], row["state"]) == ("draft", "active")
    await keeper.days(10)
    assert (await agent.row(1))["state"] == "archived"


async def test_statistics_are_recorded_each_hour_and_thinned_to_one_a_day(
    database: Database, clock: Clock, keeper: Keeper
) -> None:
    def plant(connection: Connection) -> None:
        for trust in (0.2, 0.4, 0.9):
            planted(connection, replace(YOUNG, trust=trust))
        planted(connection, replace(YOUNG, tier="validated", trust=0.7), namespace="another")
        planted(connection, replace(YOUNG, trust=0.0), branch="idea")
        planted(connection, replace(YOUNG, trust=0.0), state="archived")

    await database.write(plant)
    await keeper.run("statistics")
    first, second = await keeper.query("SELECT * FROM statistic ORDER BY namespace DESC")
    assert (first["namespace"], first["tier"], first["memories"]) == ("default", "draft", 3)
    assert first["trust_mean"] == pytest.approx(0.5)
    assert first["trust_deviation"] == pytest.approx((0.26 / 3) ** 0.5)
    assert first["rfm_mean"] == pytest.approx(0.1)
    assert first["rfm_deviation"] == pytest.approx(0.0, abs=1e-9)
    assert (second["namespace"], second["tier"], second["memories"]) == ("another", "validated", 1)
    await keeper.days(3, "statistics", each=24)
    await keeper.days(31, "statistics")
    clock.pass_days(1)
    await keeper.run("purge")
    assert len(await keeper.query("SELECT * FROM statistic WHERE namespace = 'default'")) <= 36


async def test_records_of_years_come_to_a_few(database: Database, clock: Clock, keeper: Keeper) -> None:
    figures = {"memories": 9, "trust_mean": 0.5, "trust_deviation": 0.1, "rfm_mean": 0.1, "rfm_deviation": 0.1}

    def plant(connection: Connection) -> None:
        for hour in range(3 * 365 * 24):
            at = clock.now - hour * HOUR
            run(connection, "statistic_insert", namespace="default", tier="draft", now=at, **figures)

    await database.write(plant)
    await keeper.run("purge")
    rows = await keeper.query("SELECT (:now - at) / 86400.0 AS age FROM statistic ORDER BY at", clock.now)
    ages = [row["age"] for row in rows]
    assert sum(age <= 7 for age in ages) == 7 * 24 + 1
    assert 82 <= sum(7 < age <= 90 for age in ages) <= 84
    assert 33 <= sum(age > 90 for age in ages) <= 35
    assert max(ages) == pytest.approx(3 * 365, abs=0.1), "the first one stays"
    clock.pass_days(1)
    await keeper.run("purge")
    again = await keeper.query("SELECT count(*) AS count FROM statistic")
    assert again[0]["count"] >= len(ages) - 25, "a day later only a day is thinned"


async def test_others_write_between_what_is_changed(
    database: Database, clock: Clock, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed = []

    def change(writer: Connection, item: int) -> int:
        committed.append(connection.execute("SELECT count(*) FROM goal").fetchone()[0])
        run(writer, "goal_insert", namespace="default", name=f"goal {item}")
        return int(item != 3)

    async def work(held: Held) -> str:
        return f"{await held.each(range(5), change)} changed"

    monkeypatch.setattr(chunks, "LONGEST", -1.0)  # a moment that has passed already
    assert await perform_job(database, Job("changing", HOUR, work), clock) == "4 changed"
    assert committed == [0, 1, 2, 3, 4]


def test_others_may_write_for_as_long_as_a_transaction_took(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "PAUSE", 0.02)
    monkeypatch.setattr(held, "SHARE", 1.0)
    assert held.pause(0.005) == 0.02
    assert held.pause(0.3) == 0.3


async def test_a_store_of_several_reading_chunks_is_summed_whole(database: Database, keeper: Keeper) -> None:
    def plant(connection: Connection) -> None:
        for number in range(4_500):
            planted(connection, replace(YOUNG, trust=0.25 if number % 2 else 0.75))

    await database.write(plant)
    await keeper.run("statistics")
    [row] = await keeper.query("SELECT * FROM statistic")
    assert (row["memories"], row["trust_mean"], row["trust_deviation"]) == (
        4_500, pytest.approx(0.5), pytest.approx(0.25),
    )  # fmt: skip


async def test_upkeep_is_planned_without_being_done(agent: Agent, keeper: Keeper) -> None:
    def plans(connection: Connection) -> list[str]:
        now = agent.clock.now
        return [job.plan(connection, agent.database.settings, now) for job in JOBS if job.plan and job.name in QUICK]

    await keeper.days(2)
    for number in range(5):
        await agent.write(f"note {number}")
    await keeper.days(20)
    agent.clock.pass_days(1)
    before = await keeper.snapshot()
    assert await agent.database.read(plans) == [
        "would promote 0 and demote 0", "would forget 1; 4 more have faded and wait", "would purge 0",
    ]  # fmt: skip
    assert await keeper.snapshot() == before
    assert await keeper.run("forget") == ["1 forgotten"]


async def test_who_finds_a_job_claimed_knows_it_is_not_due(database: Database, clock: Clock) -> None:
    job, _ = counting()

    def due(connection: Connection) -> bool:
        return is_due(connection, job, now=clock.now)

    assert await database.read(due)
    await database.write(claim_job, job, forced=False, now=clock.now)
    assert not await database.read(due)


async def test_reviews_that_wait_in_memory_come_first(agent: Agent, keeper: Keeper) -> None:
    from firmmem.contract import Question
    from firmmem.memory.life.review import Reviews
    from firmmem.upkeep.schedule import do_due_work

    await keeper.days(2)
    await agent.write("Prefers noodles")
    await keeper.days(20)
    agent.clock.pass_days(0.97)
    reviews = Reviews(agent.database)
    reviews.note(Question("default", query="noodles"), await agent.recall("noodles"), now=agent.clock.now)
    agent.clock.pass_days(0.01)
    await do_due_work(agent.database, reviews, agent.clock)
    row = await agent.row(1)
    assert (row["state"], row["recall_count"]) == ("active", 1)


async def test_the_loop_goes_on_after_a_busy_file_and_ends_at_one_that_can_only_be_read(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from firmmem.errors import BusyFileError, ReadOnlyFileError
    from firmmem.memory.life.review import Reviews
    from firmmem.upkeep import schedule
    from firmmem.upkeep.schedule import keep_up

    faults = [BusyFileError("held for too long"), None, ReadOnlyFileError("can't be written")]

    async def tick(*_: object) -> None:
        fault = faults.pop(0)
        if fault:
            raise fault

    monkeypatch.setattr(schedule, "do_due_work", tick)
    monkeypatch.setattr(schedule, "FIRST", 0.0)
    monkeypatch.setattr(schedule, "EVERY", 0.0)
    with anyio.fail_after(30):
        await keep_up(database, Reviews(database), clock)
    assert faults == []
    assert "upkeep waits: held for too long" in caplog.text
