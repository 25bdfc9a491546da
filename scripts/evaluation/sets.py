"""The sets: what is written, what is asked, and which of the written answers it."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from firmmem.text.transcript import is_transcript

DAY = 86_400.0
UNDATED = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
BLANK = " \t\r\n\u200b\ufeff"  # of some turns nothing else is left
LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


@dataclass(frozen=True)
class Item:
    """One text to remember, and when it is written (seconds since 1970 UTC)."""

    text: str
    at: float
    retold: bool = False


@dataclass(frozen=True)
class Asked:
    """One question, the positions of the items that answer it, and its kind."""

    text: str
    gold: frozenset[int]
    category: str = ""


@dataclass(frozen=True)
class Collection:
    """What lies in one namespace, and what is asked of it."""

    name: str
    items: tuple[Item, ...]
    questions: tuple[Asked, ...]

    @property
    def ends_at(self) -> float:
        """When the questions are asked: a day after the last item."""
        return max(item.at for item in self.items) + DAY


def elsewhere(collections: Sequence[Collection]) -> list[Collection]:
    """Return the same stores, each asked what another one's questions ask: nothing in it answers them."""
    others = (*collections[1:], *collections[:1])
    asked = ([replace(question, gold=frozenset()) for question in each.questions] for each in others)
    return [replace(each, questions=tuple(own)) for each, own in zip(collections, asked, strict=True)]


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def locomo(path: Path) -> list[Collection]:
    """One namespace a conversation, one item a turn: `date speaker: text`, in the order they were said."""
    return [conversation(f"conversation {number}", each) for number, each in enumerate(read_json(path))]


def conversation(name: str, record: dict[str, Any]) -> Collection:
    turns = list(dated_turns(record["conversation"]))
    items = [Item(f"{date} {turn['speaker']}: {turn['text']}", session_time(date)) for date, turn in turns]
    positions = {turn["dia_id"]: position for position, (_, turn) in enumerate(turns)}
    questions = []
    for asked in record["qa"]:
        named = [name for evidence in asked.get("evidence", []) for name in turn_ids(evidence)]
        gold = frozenset(positions[name] for name in named if name in positions)
        questions.append(Asked(str(asked["question"]), gold, LOCOMO_CATEGORIES[asked["category"]]))
    return Collection(name, tuple(items), answerable(questions))


def turn_ids(evidence: str) -> list[str]:
    """Return the turns that an evidence names, as turns name themselves: `D30:05` is `D30:5`."""
    return [f"D{int(session)}:{int(turn)}" for session, turn in re.findall(r"D(\d+):(\d+)", evidence)]


def dated_turns(sessions: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    numbers = sorted(int(key[8:]) for key in sessions if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        for turn in sessions[f"session_{number}"]:
            yield sessions[f"session_{number}_date_time"], turn


def session_time(date: str) -> float:
    """Read a date as LoCoMo writes it: `1:56 pm on 8 May, 2023`."""
    return datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).timestamp()


def answerable(questions: Iterable[Asked]) -> tuple[Asked, ...]:
    """Drop the questions whose evidence names nothing that was written."""
    return tuple(question for question in questions if question.gold)


def lifebench(records: Path, questions: Path) -> list[Collection]:
    """One namespace a person, one item a record; another language's questions may be asked, positions are parallel."""
    people = zip(read_json(records), read_json(questions), strict=True)
    return [person(number, written["docs"], asked["queries"]) for number, (written, asked) in enumerate(people)]


def lifebench_mixed(chinese: Path, english: Path, questions: Path) -> list[Collection]:
    """Even records in Chinese and odd ones in English, asked in one language."""
    people = zip(read_json(chinese), read_json(english), read_json(questions), strict=True)
    collections = []
    for number, (even, odd, asked) in enumerate(people):
        both = zip(even["docs"], odd["docs"], strict=True)
        records = [pair[position % 2] for position, pair in enumerate(both)]
        collections.append(person(number, records, asked["queries"]))
    return collections


def person(number: int, records: list[str], queries: list[Any]) -> Collection:
    items = [retold(record, at) for record, at in zip(records, record_times(records), strict=True)]
    questions = [Asked(question, frozenset(gold), category) for question, gold, category in queries]
    return Collection(f"person {number}", tuple(items), answerable(questions))


def retold(text: str, at: float) -> Item:
    """Take a text as it is, but a transcript, which is no memory, on one line without the colons of its speakers."""
    if not is_transcript(text):
        return Item(text, at)
    return Item(re.sub(r"(?<!\d)[:：]|[:：](?!\d)", " –", " ".join(text.split())), at, retold=True)


def record_times(records: Sequence[str]) -> list[float]:
    """Return when each LifeBench record was written: at the date and time of day that it begins with.

    Records that name a date alone are spread over that day in their order, so that a whole day does not count as
    written within minutes.
    """
    days = Counter(record[:10] for record in records)
    seen = Counter[str]()
    times = []
    for record in records:
        day = record[:10]
        midnight = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
        if clock := re.match(r"[ T](\d\d?):(\d\d)(?::(\d\d))?(?!\d)", record[10:]):
            hours, minutes, seconds = (int(part or 0) for part in clock.groups())
            times.append(midnight + 3_600 * hours + 60 * minutes + seconds)
        else:
            times.append(midnight + DAY * (seen[day] + 0.5) / days[day])
            seen[day] += 1
    return times


def kdconv(facts: Path, dialogues: Path) -> list[Collection]:
    """One item a distinct fact, `entity attribute：value`.

    Asked is each turn with a question mark that names the entity of a fact stated in the next turn; those facts
    are its gold. Turns that only the dialogue before them explains ("and how much is it?") are left out.
    """
    known = dict.fromkeys(tuple(fact) for of_entity in read_json(facts).values() for fact in of_entity)
    positions = {fact: position for position, fact in enumerate(known)}
    items = [Item(f"{entity} {attribute}：{value}", UNDATED) for entity, attribute, value in known]
    questions = [Asked(text, frozenset(positions[fact] for fact in stated)) for text, stated in asked_turns(dialogues)]
    return [Collection("travel", tuple(items), answerable(questions))]


def asked_turns(dialogues: Path) -> Iterator[tuple[str, set[tuple[str, str, str]]]]:
    for dialogue in read_json(dialogues):
        turns = dialogue["messages"]
        for turn, reply in pairwise(turns):
            stated = {(each["name"], each["attrname"], each["attrvalue"]) for each in reply.get("attrs", [])}
            if "？" in turn["message"] and any(entity in turn["message"] for entity, _, _ in stated):
                yield turn["message"], stated


def cmrc2018(path: Path) -> list[Collection]:
    """One item a paragraph; the paragraph a question was written for is its gold, so R@k equals H@k."""
    paragraphs = [each for article in read_json(path)["data"] for each in article["paragraphs"]]
    items = [Item(paragraph["context"], UNDATED) for paragraph in paragraphs]
    questions = [
        Asked(asked["question"], frozenset({position}))
        for position, paragraph in enumerate(paragraphs)
        for asked in paragraph["qas"]
    ]
    return [Collection("paragraphs", tuple(items), tuple(questions))]


def longmemeval(folder: Path) -> list[Collection]:
    """Two fragments, one item a turn; gold is every turn of an answering session, so that only H@k and MRR say much."""
    sessions = read_lines(folder / "sessions.jsonl")
    turns = [(session["id"], turn["content"]) for session in sessions for turn in session["turns"]]
    asked = [
        (each["question"], each["ground_truth"]["supporting_session_ids"], each["category"])
        for each in read_lines(folder / "questions.jsonl")
    ]
    return [of_turns("fragment", turns, asked), *(haystacks(folder / "longmemeval_reproduce.june.json"))]


def read_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def haystacks(path: Path) -> Iterator[Collection]:
    data = read_json(path)
    for asked in data["queries"]:
        documents = [each for each in data["documents"] if each["id"].startswith(f"{asked['id']}::")]
        turns = [
            (document["id"], turn)
            for document in documents
            for turn in re.split(r"(?:^|\n)(?:user|assistant): ", document["text"])
        ]
        collection = of_turns(asked["id"], turns, [(asked["query"], asked["gold"], asked["question_type"])])
        if collection.questions:
            yield collection


def of_turns(name: str, turns: list[tuple[str, str]], asked: list[tuple[str, list[str], str]]) -> Collection:
    turns = [(session, text.strip(BLANK)) for session, text in turns if text.strip(BLANK)]
    items = [retold(text, UNDATED) for _, text in turns]
    questions = []
    for question, answering, category in asked:
        gold = frozenset(position for position, (session, _) in enumerate(turns) if session in answering)
        questions.append(Asked(question, gold, category))
    return Collection(name, tuple(items), answerable(questions))


def cranfield(folder: Path) -> list[Collection]:
    """One item an abstract; gold is what was judged 1 to 4. The two abstracts without a text are left out."""
    texts = dict(sections(folder / "cran.all.1400"))
    written = {number: position for position, number in enumerate(n for n, text in texts.items() if text)}
    items = [Item(text, UNDATED) for text in texts.values() if text]
    gold: dict[int, set[int]] = {}
    for line in (folder / "cranqrel").read_text().splitlines():
        query, document, judgement = map(int, line.split())
        if 1 <= judgement <= 4 and document in written:
            gold.setdefault(query, set()).add(written[document])
    # Judgements count the queries from 1, whatever their own numbers are.
    asked = enumerate((text for _, text in sections(folder / "cran.qry")), 1)
    questions = [Asked(text, frozenset(gold.get(number, ()))) for number, text in asked]
    return [Collection("abstracts", tuple(items), answerable(questions))]


def sections(path: Path) -> Iterator[tuple[int, str]]:
    """Read the number and the text of each record of SMART's format."""
    for record in re.split(r"^\.I ", path.read_text(), flags=re.MULTILINE)[1:]:
        number, _, fields = record.partition("\n")
        yield int(number), " ".join(fields.partition(".W\n")[2].split())
