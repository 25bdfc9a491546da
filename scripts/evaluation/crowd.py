"""What the caps of a recall lose: questions about conversations that lie among very many other memories."""

import hashlib
import heapq
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import groupby, islice
from pathlib import Path

from benching import store
from benching.store import NAMESPACE, Made
from documents import table
from tqdm import tqdm

import firmmem
from evaluation.measures import Answer, difference, mean, quantile
from evaluation.others import Others
from evaluation.report import interval, share
from evaluation.sets import Asked, Collection, Item
from firmmem.contract import NewMemory, Question
from firmmem.memory.recall.limits import MANY, UNCAPPED, USUAL, Caps
from firmmem.memory.recall.recall import find
from firmmem.memory.rows.ranking_keys import DAY
from firmmem.memory.rows.shelves import memory_identity
from firmmem.memory.write.write import check_memory, store_memory
from firmmem.store.migrate import scripts
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, fetch, transaction
from firmmem.text.search_words import match_expression, query_terms

WAYS = {"FirmMem": USUAL, "uncapped": UNCAPPED}

INTRO = """\
All of them are in one namespace in the order of their dates. The other memories are runs of words of other sets'
English sentences with two words of a turn, said by people of whom some are the conversations' own, and have any tier,
trust and age. Each question is asked a day after the last turn by the same code, in one process, with the caps that a
recall has and with all of them lifted; the loss is what the caps cost."""

Answers = dict[str, list[Answer]]  # by way of asking


@dataclass(frozen=True)
class Crowd:
    """The conversations, and the other memories among which their turns lie in the order of their dates."""

    conversations: Sequence[Collection]
    others: Others
    size: int

    @cached_property
    def turns(self) -> list[Item]:
        """Every turn that is a memory of its own, oldest first; those of one session stay in their order."""
        turns = {key_of(item): item for each in self.conversations for item in each.items}
        return sorted(turns.values(), key=lambda item: item.at)

    @cached_property
    def ends_at(self) -> float:
        """When the questions are asked: a day after the last turn."""
        return max(each.ends_at for each in self.conversations)

    def memories(self) -> Iterator[tuple[float, int | Item]]:
        """Yield when each memory was written, and the turn, or the number of another one."""
        turns = self.turns
        first, span = turns[0].at, turns[-1].at - turns[0].at
        numbers = ((first + span * number / self.size, number) for number in range(self.size))
        return heapq.merge(((turn.at, turn) for turn in turns), numbers, key=lambda each: each[0])

    def other(self, at: float, number: int) -> Made:
        """Return another memory of the same namespace: of any tier but core, and with a life of its own."""
        made = store.made(number + store.CORE_FACTS, self.size + store.CORE_FACTS, partial(self.others.text, at=at))
        age = (self.ends_at - at) / DAY
        since = age * made.reviewed_days_ago / made.written_days_ago
        draft = made.new.tier == "draft"
        return replace(
            made,
            new=replace(made.new, namespace=NAMESPACE),
            state="active",
            written_days_ago=age,
            reviewed_days_ago=min(since, store.DRAFT_DAYS) if draft else since,
        )


def key_of(item: Item) -> bytes:
    return memory_identity(NAMESPACE, "", item.text)


def laid(crowd: Crowd, folder: Path) -> Path:
    """Return a store of all of them, in the newest schema; one that was begun is completed."""
    of = repr((scripts(), crowd.turns, crowd.others.names))
    file = folder / f"crowd-{crowd.size}-{hashlib.sha256(of.encode()).hexdigest()[:8]}.db"
    connection = open_connection(store.settings_of(file))
    total = crowd.size + len(crowd.turns)
    try:
        connection.execute(f"PRAGMA cache_size = -{store.CACHE_KIB}")
        [there] = connection.execute("SELECT count(*) FROM memory").fetchone()
        rest = islice(crowd.memories(), there, None)
        with tqdm(total=total, initial=there, desc=f"lay {total:,}", unit=" memories", mininterval=1) as bar:
            while chunk := list(islice(rest, store.CHUNK)):
                with transaction(connection):
                    lay(connection, crowd, chunk)
                bar.update(len(chunk))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()
    return file


def lay(connection: Connection, crowd: Crowd, chunk: Sequence[tuple[float, int | Item]]) -> None:
    """Write memories in their order: the turns as a write does, the others with the lives they have had since."""
    settings = store.settings_of(Path())
    for is_turn, run in groupby(chunk, lambda each: isinstance(each[1], Item)):
        if not is_turn:
            store.fill(connection, (crowd.other(at, number) for at, number in run), now=crowd.ends_at)
            continue
        for at, turn in run:
            new = check_memory(NewMemory(turn.text, "validated", NAMESPACE), settings)
            store_memory(connection, new, store.WRITER, settings, now=at)


def asked(crowd: Crowd, file: Path, every: int) -> Answers:
    """Ask each `every`-th question in every way, one after the other, so that all ways meet the same load.

    What was answered is kept beside the store until the product changes, so that a run that was stopped goes on.
    """
    questions = [(each, question) for each in crowd.conversations for question in each.questions]
    kept = file.with_suffix(f".{digest(Path(firmmem.__file__).parent)}.jsonl")
    known = dict(map(read, kept.read_text(encoding="utf-8").splitlines())) if kept.exists() else {}
    connection = open_connection(store.settings_of(file), writes=False)
    try:
        with kept.open("a", encoding="utf-8") as lines:
            for number in tqdm(range(0, len(questions), every), desc="ask", unit=" questions", mininterval=1):
                if number not in known:
                    known[number] = [answer(connection, crowd, *questions[number], caps) for caps in WAYS.values()]
                    lines.write(json.dumps([number, *map(asdict, known[number])]) + "\n")
                    lines.flush()
    finally:
        connection.close()
    picked = [known[number] for number in range(0, len(questions), every)]
    return {name: [answers[way] for answers in picked] for way, name in enumerate(WAYS)}


def digest(package: Path) -> str:
    """Return what tells one state of the product from another."""
    sources = sorted(each for suffix in ("py", "sql") for each in package.rglob(f"*.{suffix}"))
    return hashlib.sha256(b"".join(each.read_bytes() for each in sources)).hexdigest()[:8]


def read(line: str) -> tuple[int, list[Answer]]:
    number, *answers = json.loads(line)
    return number, [Answer(**each) for each in answers]


def answer(connection: Connection, crowd: Crowd, collection: Collection, question: Asked, caps: Caps) -> Answer:
    """Ask one question of all memories, a day after the last turn."""
    keys = [key_of(collection.items[position]) for position in question.gold]
    gold = [fetch(connection, "memory_by_identity", identity=key)[0]["id"] for key in keys]
    settings = store.settings_of(Path())
    began = time.perf_counter()
    found = find(connection, Question(NAMESPACE, question.text), settings, caps=caps, now=crowd.ends_at)
    seconds = time.perf_counter() - began
    order = {memory.id: rank for rank, memory in enumerate(found.memories, 1)}
    ranks = tuple(order[memory] for memory in gold if memory in order)
    return Answer(question.category, ranks, len(gold), len(order), seconds=seconds)


def report(answers: Answers) -> str:
    """Return what the caps lose, by category, and how long both ways take."""
    rows = [row("all", answers)]
    for category in sorted({each.category for each in answers["uncapped"]}):
        picked = {name: [each for each in some if each.category == category] for name, some in answers.items()}
        rows.append(row(category, picked))
    times = [[name, *map(milliseconds, times_of(some))] for name, some in answers.items()]
    lost = table(("R@10", "questions", *WAYS, "loss (95 %)"), rows)
    return f"{lost}\n\n{table(('a query, ms', 'median', 'p95', 'p99'), times)}"


def row(name: str, answers: Answers) -> list[str]:
    ours, uncapped = answers.values()
    found = [share(mean([each.recall(10) for each in some])) for some in (ours, uncapped)]
    return [name, f"{len(ours):,}", *found, interval(difference(uncapped, ours, lambda each: each.recall(10)))]


def times_of(answers: Sequence[Answer]) -> list[float]:
    return [quantile([each.seconds for each in answers], part) for part in (0.5, 0.95, 0.99)]


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.1f}"


def competition(crowd: Crowd, file: Path) -> str:
    """Return how common the words of the questions are among all memories."""
    terms = dict.fromkeys(
        term for each in crowd.conversations for asked in each.questions for term in query_terms(asked.text)
    )
    connection = open_connection(store.settings_of(file), writes=False)
    try:
        [shelf] = fetch(connection, "shelf", namespace=NAMESPACE, state="active", branch="")
        low, high = shelf["id"] << 40, (shelf["id"] + 1 << 40) - 1
        probes = json.dumps([[low, high, match_expression(term)] for term in terms])
        counted = [float(each["frequency"]) for each in fetch(connection, "frequency", probes=probes, most=MANY)]
    finally:
        connection.close()
    middle, upper, most = (quantile(counted, part) for part in (0.5, 0.75, 0.95))
    return (
        f"Of the {len(terms):,} words that are asked for, half are met in {middle:,.0f} memories or more, a quarter in "
        f"{upper:,.0f} or more, one in twenty in {most:,.0f} or more."
    )
