"""The year as it happens to a real file: four clients with connections of their own, upkeep, and what is measured."""

import json
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from firmmem.contract import Author, NewMemory, Question
from firmmem.memory.life.review import Reviews
from firmmem.memory.life.undo import Undoing
from firmmem.memory.recall.recall import recall
from firmmem.memory.rows.ranking_keys import DAY, EPOCH
from firmmem.memory.trust.feedback import give_feedback
from firmmem.memory.write.archive import archive_memories
from firmmem.memory.write.write import write_memory
from firmmem.settings import Settings
from firmmem.store.database import Database, open_database
from firmmem.store.statements import Connection
from firmmem.upkeep import held
from firmmem.upkeep.held import perform_job
from firmmem.upkeep.schedule import JOBS
from simulation.scenario import CLIENTS, Ask, Close, Event, Judge, Write, Year

START = EPOCH + 365 * DAY
GRACE = 30.0  # days in the archive before what was forgotten is deleted
SPACE = "default"
EVERY = 7  # days between two measurements
WEEKS_OF_CHATTER = 4 * 7  # days after which no idle draft is left in use
RECORDS = ("vote", "review", "move", "statistic", "run", "quarantine", "conflict")  # tables beside the memories


@dataclass(frozen=True)
class Measured:
    """The file on one day."""

    day: int
    size: int  # bytes
    memories: int
    active: int
    archived: int
    quarantined: int
    chatter: int  # idle drafts in use
    oldest_chatter: float  # the age of the oldest of them in days
    found: float  # the share of used facts that a question finds among its first ten
    records: dict[str, int]  # how many rows each table has that is not about what memories say


@dataclass
class Result:
    """What the year showed."""

    weeks: list[Measured]
    counts: dict[str, int]
    wrong: dict[str, str] = field(default_factory=dict)  # where each planted wrong memory ended
    core_unchanged: bool = False
    restored: int = 0  # memories that undoing all runs of forgetting brought back
    not_restored: int = 0  # and those of them that are not what they were, bit for bit

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2)


@dataclass
class World:
    """Four clients on one file, and a clock turned by hand."""

    settings: Settings
    databases: dict[str, Database]
    reviews: dict[str, Reviews]
    now: float = START
    day: int = 0
    ids: dict[str, int] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    before: dict[int, dict[str, Any]] = field(default_factory=dict)  # what was forgotten, as it was then

    def clock(self) -> float:
        return self.now

    async def happen(self, event: Event) -> None:
        """Let one thing happen, by the verbs that the tools call."""
        database, author = self.databases[event.client], Author(event.client, f"{event.client} {self.day}")
        self.now += 60.0
        self.counts[type(event).__name__.lower()] += 1
        match event:
            case Write():
                new = NewMemory(event.text, event.tier, SPACE, subject=event.subject, goal_id=event.goal)
                self.ids[event.key] = (await write_memory(database, new, author, now=self.now)).id
            case Ask():
                await self.ask(event, database, author)
            case Judge():
                ids = [self.ids[event.key]]
                await give_feedback(database, ids, event.outcome, author, namespace=SPACE, now=self.now)
            case Close():
                await archive_memories(database, namespace=SPACE, goal_id=event.goal, now=self.now)

    async def ask(self, event: Ask, database: Database, author: Author) -> None:
        """Recall, as a tool does: what was looked for and had faded is reviewed."""
        question = Question(SPACE, query=event.query)
        found = await recall(database, question, now=self.now)
        self.reviews[event.client].note(question, found, now=self.now)
        await self.reviews[event.client].flush()
        if event.outcome and self.ids[event.key] in {memory.id for memory in found.memories}:
            ids = [self.ids[event.key]]
            await give_feedback(database, ids, event.outcome, author, namespace=SPACE, now=self.now)

    async def look_after(self, client: str) -> None:
        """Do what is due, as a client's server does while it runs."""
        database = self.databases[client]
        due = await rows(database, "SELECT * FROM memory WHERE fades_at <= ?", self.now)
        for job in JOBS:
            await perform_job(database, job, self.clock)
        gone = await rows(database, "SELECT id FROM memory WHERE state_cause = 'forgotten' AND state_at >= ?", self.now)
        ids = {row["id"] for row in gone}
        self.before |= {row["id"]: row for row in due if row["id"] in ids}

    async def measure(self, year: Year) -> Measured:
        """Look at the file; that is no review."""
        database = self.databases[CLIENTS[0]]
        [file] = await rows(database, "SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size")
        states = Counter(
            row["state"]
            for row in await rows(database, "SELECT state FROM memory JOIN shelf ON shelf.id = memory.shelf")
        )
        idle = [memory for key, memory in self.ids.items() if key.startswith("chatter")]
        chatter = await rows(
            database,
            "SELECT created_at FROM memory JOIN shelf ON shelf.id = memory.shelf "
            "WHERE state = 'active' AND memory.id IN (SELECT value FROM json_each(?)) ORDER BY created_at",
            json.dumps(idle),
        )
        written = [fact for fact in year.facts if fact.key in self.ids]
        hits = 0
        for fact in written:
            found = await recall(database, Question(SPACE, query=fact.query), now=self.now)
            hits += self.ids[fact.key] in {memory.id for memory in found.memories[:10]}
        return Measured(
            self.day,
            file["size"],
            states.total(),
            states["active"],
            states["archived"],
            states["quarantined"],
            len(chatter),
            (self.now - chatter[0]["created_at"]) / DAY if chatter else 0.0,
            hits / max(1, len(written)),
            {name: (await rows(database, f"SELECT count(*) AS n FROM {name}"))[0]["n"] for name in RECORDS},  # noqa: S608
        )


async def rows(database: Database, statement: str, *parameters: object) -> list[dict[str, Any]]:
    def read(connection: Connection) -> list[dict[str, Any]]:
        return [dict(row) for row in connection.execute(statement, parameters)]

    return await database.read(read)


async def live(year: Year, folder: Path, *, sessions: int = len(CLIENTS)) -> Result:
    """Let the year happen to a new file in a folder; upkeep runs in so many of the clients' daily sessions."""
    held.PAUSE = held.SHARE = 0.0  # nobody waits here
    settings = Settings(db=folder / "year.db", purge_after_days=GRACE)
    async with AsyncExitStack() as stack:
        databases = {client: await stack.enter_async_context(open_database(settings)) for client in CLIENTS}
        world = World(settings, databases, {name: Reviews(each) for name, each in databases.items()})
        weeks = []
        core: list[dict[str, Any]] = []
        for day, events in enumerate(year.days):
            world.now, world.day = START + day * DAY, day
            for event in events:
                await world.happen(event)
            if not day:
                core = await core_facts(world)
            for hour, client in list(zip((9, 12, 16, 22), CLIENTS, strict=True))[-sessions:]:
                world.now = START + day * DAY + hour * 3600.0
                await world.look_after(client)
            if day % EVERY == 0 or day == len(year.days) - 1:
                weeks.append(await world.measure(year))
        result = Result(weeks, dict(world.counts), core_unchanged=await core_facts(world) == core)
        result.wrong = await fates(world, "wrong")
        result.restored, result.not_restored = await undo_all(world)
    return result


async def core_facts(world: World) -> list[dict[str, Any]]:
    return await rows(world.databases[CLIENTS[0]], "SELECT * FROM memory WHERE tier = 'core' ORDER BY id")


async def fates(world: World, kind: str) -> dict[str, str]:
    """Return where the memories of a kind are now."""
    found = await rows(
        world.databases[CLIENTS[0]],
        "SELECT memory.id, state FROM memory JOIN shelf ON shelf.id = memory.shelf",
    )
    states = {row["id"]: row["state"] for row in found}
    return {key: states.get(memory, "deleted") for key, memory in world.ids.items() if key.startswith(kind)}


async def undo_all(world: World) -> tuple[int, int]:
    """Take back all forgetting that was not purged, the last run first; return how many came back, how many wrong."""
    database = world.databases[CLIENTS[0]]
    restored, wrong = 0, 0
    for run in await rows(database, "SELECT id FROM run WHERE job = 'forget' AND done > 0 ORDER BY id DESC"):
        undoing, more = Undoing(run["id"]), True
        while more:
            _, _, more = await database.write(undoing.chunk, now=world.now)
        back = await rows(
            database,
            "SELECT memory.* FROM memory JOIN move ON move.memory = memory.id "
            "WHERE move.cause = 'undone' AND move.reason = ?",
            f"run {run['id']}",
        )
        restored += len(back)
        wrong += sum(row != world.before[row["id"]] for row in back)
    return restored, wrong
