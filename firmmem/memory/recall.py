"""Recall: what is remembered of a query, a goal, or where a session starts, best first and within a budget."""

import json
import math
from dataclasses import dataclass, replace
from typing import Any

from firmmem import scoring
from firmmem.contract import TIERS, Question, Recalled, RecalledMemory, Tier
from firmmem.database import Connection, Database, fetch
from firmmem.memory.keys import DAY, EPOCH, RANK, trusted
from firmmem.memory.shelves import Shelf, goal_row, label, shelves
from firmmem.settings import Settings
from firmmem.text import normal_form, one_line, tokens
from firmmem.words import match, query_terms

K1 = 1.2  # BM25's usual damping of repeated words
B = 0.75  # and of long texts
CANDIDATES = 3_000  # rows that the words of a query may bring: the rarest words first
WEIGHING = 8  # terms too common to bring candidates that still weigh among those of the others
SCORED = 500  # rows of them that are scored: those most relevant
COUNTED = 20_000  # rows that are counted to know how common the words of a query are
LEAST_COUNTED = 200  # and for each of them at least
FILTERED = 10_000  # rows up to which a filter's own index is walked
POPS = 2_000  # rows tried in the order of score for a filter that lets many through
FRAME_TOKENS = 60  # what the lines round the memories cost
LINE_TOKENS = 20  # what a line costs beside the words it shows
WARNING_TOKENS = 12  # and the mark of a text that reads like an instruction
EXPLAINED_TOKENS = 64  # and the line that explains its score
LEAST_TOKENS = 30  # of a memory that is told whatever the budget
SOME_MORE = "more memories pass the filters than are shown: raise limit or token_budget"
SAME = (
    *("id", "tier", "state", "branch", "subject", "source", "created_at", "reviewed_at", "recall_count"),
    *("consolidation", "importance", "strength", "half_life", "decay", "rfm", "trust", "alignment", "relevance"),
    "score",
)  # columns of recall.sql that RecalledMemory takes as they are
OPEN = ("active",)
CLOSED = ("active", "archived", "superseded")


async def recall(database: Database, question: Question, *, now: float) -> Recalled:
    """Return what answers the question at `now`, and what was left out.

    Raises:
        InvalidTextError: A name in the question can't be one.
        UnavailableError: The file can't be read.
    """
    return await database.read(find, question, database.settings, now=now)


def as_stored(question: Question) -> Question:
    """Return the question with its names as memories have them."""
    return replace(
        question,
        namespace=label(question.namespace),
        branch=label(question.branch),
        goal_id=label(question.goal_id),
        tags=tuple(normal_form(label(tag)) for tag in question.tags if tag.strip()),
    )


@dataclass(frozen=True)
class Place:
    """Where a recall looks, and the statement parameters that all its ways of looking share."""

    shelves: list[Shelf]
    goal: int
    parameters: dict[str, Any]

    @property
    def size(self) -> int:
        """How many memories lie there."""
        return sum(shelf.size for shelf in self.shelves)


def find(connection: Connection, question: Question, settings: Settings, *, now: float) -> Recalled:
    """Answer a question on a connection."""
    question = as_stored(question)
    place, notes = placed(connection, question, settings, now=now)
    terms = query_terms(question.query) if question.query else []
    if terms:
        found = by_words(connection, question, place, terms, settings)
    elif question.query:
        found = Recalled((), notes=("the query has no words to look for",))
    else:
        found = by_score(connection, question, place, settings)
    return replace(found, notes=(*found.notes, *notes))


def placed(
    connection: Connection, question: Question, settings: Settings, *, now: float
) -> tuple[Place, tuple[str, ...]]:
    """Return where to look, and what is to be said of the goal asked about."""
    branches = ["", question.branch] if question.branch else [""]
    found = shelves(connection, question.namespace, CLOSED if question.include_archived else OPEN, branches)
    goal = goal_row(connection, question.namespace, question.goal_id) if question.goal_id else None
    asked = goal["id"] if goal else -1 if question.goal_id else 0
    parameters: dict[str, Any] = {
        "shelves": json.dumps([shelf.id for shelf in found if shelf.size]),
        "tiers": json.dumps(question.tiers),
        "tags": json.dumps(question.tags, ensure_ascii=False),
        "since": question.since,
        "until": question.until,
        "goal": asked,
        "other_goal": settings.other_goal,
        "now": now,
        "limit": question.limit,
    }
    return Place([shelf for shelf in found if shelf.size], asked, parameters), said_of(question, goal)


def said_of(question: Question, goal: Any) -> tuple[str, ...]:
    """Return what is to be said of the goal asked about."""
    if question.goal_id and goal is None:
        return (f"no memory serves a goal {question.goal_id!r}",)
    if goal is not None and goal["closed_at"] is not None and not question.include_archived:
        return (f"goal {question.goal_id!r} is closed; include_archived=true shows its memories",)
    return ()


def by_words(
    connection: Connection, question: Question, place: Place, terms: list[str], settings: Settings
) -> Recalled:
    """Rank what matches the query's words."""
    hits = weighted(connection, place, terms)
    rows = []
    if hits:
        words = sum(shelf.words for shelf in place.shelves)
        rows = fetch(
            connection,
            "recall",
            "candidate_by_words",
            **place.parameters,
            hits=json.dumps(hits),
            k1=K1,
            b=B,
            mean_length=max(1.0, words / place.size),
            scored=max(SCORED, question.limit),
            bound=scoring.prior_bound(settings.prior_strength),
            prior_strength=settings.prior_strength,
        )
    told, left_out, notes = within(rows, room_of(question), explain=question.explain)
    told.sort(key=lambda memory: RANK[memory.tier])
    core = sum(shelf.memories["core"] for shelf in place.shelves)
    shown = sum(memory.tier == "core" for memory in told)
    return Recalled(
        tuple(told),
        left_out,
        more=rows[0]["matches"] - len(rows) if rows else 0,
        archived=0 if rows else archived(connection, question, terms),
        core=core - shown,
        notes=notes,
    )


def weighted(connection: Connection, place: Place, terms: list[str]) -> list[list[object]]:
    """Return what matched_by_words.sql looks up: each term in each shelf, with its weight.

    The rarest terms bring the candidates; a term that would bring more than `CANDIDATES` with them only weighs
    among those. Where every term is common, the rarest brings its newest rows.
    """
    counted = frequencies(connection, place, terms)
    rarest = sorted((term for term in terms if counted[term]), key=counted.__getitem__)
    bringing, total = rarest[:1], counted[rarest[0]] if rarest else 0.0
    for term in rarest[1:]:
        total += counted[term]
        if total <= CANDIDATES or place.size <= CANDIDATES:
            bringing.append(term)
    hits: list[list[object]] = []
    spans = [shelf.rows for shelf in place.shelves]
    if bringing and counted[bringing[0]] > CANDIDATES and place.size > CANDIDATES:
        spans = [(newest(connection, match(bringing[0]), low, high), high) for low, high in spans]
    either = " OR ".join(match(term) for term in bringing)
    for term in bringing:
        weight = inverse_frequency(counted[term], place.size)
        hits += [[low, high, weight, match(term), match(term, "repeated")] for low, high in spans]
    for term in rarest[len(bringing) :][:WEIGHING]:
        weight = inverse_frequency(counted[term], place.size)
        hits += [[low, high, weight, f"({match(term)}) AND ({either})", ""] for low, high in spans]
    return hits


def frequencies(connection: Connection, place: Place, terms: list[str]) -> dict[str, float]:
    """Return in how many memories each term occurs; beyond a number that is counted, by how dense its newest are."""
    spans = [shelf.rows for shelf in place.shelves]
    probes = [[low, high, match(term)] for term in terms for low, high in spans]
    most = max(LEAST_COUNTED, COUNTED // max(1, len(probes)))
    counted = dict.fromkeys(terms, 0.0)
    for row in fetch(connection, "term", probes=json.dumps(probes), most=most):
        count, oldest, latest = json.loads(row["counted"])
        shelf = place.shelves[row["probe"] % len(spans)]
        if count == most:
            # As dense as among the newest, over all rows down to the shelf's lowest.
            count = min(float(shelf.size), count * (latest - shelf.rows[0]) / (latest - oldest + 1))
        counted[terms[row["probe"] // len(spans)]] += count
    return counted


def newest(connection: Connection, expression: str, low: int, high: int) -> int:
    """Return the row from which the newest candidates with a common term begin."""
    found = fetch(connection, "newest", match=expression, lowest=low, highest=high, most=CANDIDATES)
    return int(found[0]["first"]) if found else low


def inverse_frequency(frequency: float, size: int) -> float:
    """Return a term's weight: the rarer, the more; never below 0."""
    return math.log(1.0 + (size - frequency + 0.5) / (frequency + 0.5)) if frequency <= size else 0.0


def archived(connection: Connection, question: Question, terms: list[str]) -> int:
    """Return how many archived memories match, counted up to a hundred."""
    if question.include_archived:
        return 0
    old = shelves(connection, question.namespace, ["archived", "superseded"], ["", question.branch])
    either = " OR ".join(match(term) for term in terms)
    probes = [[*shelf.rows, either] for shelf in old if shelf.size]
    return sum(row["frequency"] for row in fetch(connection, "frequency", probes=json.dumps(probes), most=100))


def by_score(connection: Connection, question: Question, place: Place, settings: Settings) -> Recalled:
    """Disclose by tier, firmest first and each by FinalScore, until the limit or the budget is reached."""
    told: list[RecalledMemory] = []
    left_out = stored(question, place)
    notes: tuple[str, ...] = ()
    budget = room_of(question)
    for tier in sorted(question.tiers, key=RANK.__getitem__):
        room = question.limit - len(told)
        if not any(shelf.memories[tier] for shelf in place.shelves):
            continue
        rows = of_tier(connection, question, place, tier, room + 1, settings)  # one more shows that there is more
        some, _, cuts = within(rows[:room], budget, first=not told, explain=question.explain)
        told += some
        notes += cuts
        budget -= sum(cost(memory, explain=question.explain) for memory in some)
        if tier in left_out:
            left_out[tier] -= len(some)
        if len(some) < len(rows):
            notes += (SOME_MORE,) if filtered(question) else ()
            break
    return Recalled(tuple(told), {tier: count for tier, count in left_out.items() if count > 0}, notes=notes)


def stored(question: Question, place: Place) -> dict[str, int]:
    """Return how many memories of each tier asked for lie there; of what passes a filter there is no count."""
    if question.tags or not math.isinf(question.since) or not math.isinf(question.until):
        return {}
    return {tier: sum(shelf.memories[tier] for shelf in place.shelves) for tier in TIERS if tier in question.tiers}


def of_tier(
    connection: Connection, question: Question, place: Place, tier: Tier, room: int, settings: Settings
) -> list[Any]:
    """Return the best rows of one tier by the plain product."""
    parameters = place.parameters | {"tiers": json.dumps([tier]), "limit": room, "prior_strength": 1.0}
    candidate = way(connection, question, place, settings)
    if candidate in ("candidate_by_stream", "candidate_by_goal"):
        parameters |= {
            "first_stream": RANK[tier] * 1000,
            "last_stream": RANK[tier] * 1000 + 999,
            "epoch": EPOCH,
            "day": (place.parameters["now"] - EPOCH) / DAY,
            "pops": POPS if filtered(question) else place.size + 1,
            "log_other_goal": math.log(max(scoring.SMALLEST, settings.other_goal)),
        }
    return fetch(connection, "recall", candidate, **parameters)


def filtered(question: Question) -> bool:
    """Return whether a filter other than tier and goal is asked for."""
    return bool(question.tags) or not math.isinf(question.since) or not math.isinf(question.until)


def way(connection: Connection, question: Question, place: Place, settings: Settings) -> str:
    """Return the way to find candidates without a query: by a filter that lets few through, else by streams."""
    if not trusted(connection, settings):
        return "candidate_by_shelf"
    if question.tags and count(connection, "count_by_tag", place) <= FILTERED:
        return "candidate_by_tag"
    dated = not math.isinf(question.since) or not math.isinf(question.until)
    if dated and count(connection, "count_by_date", place) <= FILTERED:
        return "candidate_by_date"
    return "candidate_by_goal" if place.goal > 0 else "candidate_by_stream"


def count(connection: Connection, name: str, place: Place) -> int:
    """Return how many rows a filter lets through, counted just past the number from which that matters."""
    [row] = fetch(connection, name, **place.parameters, most=FILTERED)
    return int(row["count"])


def room_of(question: Question) -> int:
    """Return how many tokens of the budget the memories may take."""
    return max(LEAST_TOKENS, question.token_budget - FRAME_TOKENS)


def within(
    rows: list[Any], budget: int, *, explain: bool, first: bool = True
) -> tuple[list[RecalledMemory], dict[str, int], tuple[str, ...]]:
    """Return the rows that fit the budget, in order, how many of each tier did not, and a note.

    The first is told whatever the budget, cut to it if need be.
    """
    told: list[RecalledMemory] = []
    left_out: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    for row in rows:
        memory = recalled(row)
        if first and not told and cost(memory, explain=explain) > budget:
            memory = cut(memory, budget, explain=explain)
            notes = (f"#{memory.id} is cut to the token_budget",)
        budget -= cost(memory, explain=explain)
        if left_out or (budget < 0 and not (first and not told)):
            left_out[memory.tier] = left_out.get(memory.tier, 0) + 1
        else:
            told.append(memory)
    return told, left_out, notes


def cost(memory: RecalledMemory, *, explain: bool) -> int:
    """Return what a memory's line costs in tokens."""
    words = tokens(" ".join([memory.summary, memory.goal, memory.branch, *memory.tags]))
    return LINE_TOKENS + words + WARNING_TOKENS * memory.suspect + EXPLAINED_TOKENS * explain


def cut(memory: RecalledMemory, budget: int, *, explain: bool) -> RecalledMemory:
    """Return a memory with as much of its text as the budget has room for, and without its tags."""
    bare = replace(memory, tags=(), summary="")
    room = max(LEAST_TOKENS, budget - cost(bare, explain=explain))
    text = memory.summary[: 4 * room]
    while (excess := tokens(text) - room) > 0:
        text = text[:-excess]  # a character is a token at most
    return replace(bare, summary=text if text == memory.summary else f"{text}…")


def recalled(row: Any) -> RecalledMemory:
    """Return a row of recall.sql as a value."""
    return RecalledMemory(
        **{name: row[name] for name in SAME},
        goal=row["goal_name"],
        summary=one_line(row["summary"]),
        tags=tuple(json.loads(row["tags"])),
        suspect=bool(row["suspect"]),
        superseded_by=row["superseded_by"] or 0,
    )
