"""What travels between the edge and the verbs: arguments and results, as values."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Tier = Literal["core", "strategic", "validated", "draft"]
Outcome = Literal["positive", "negative", "verified"]

# A core fact that waits for a person, that one has decided on, or that would be one too many to read.
Proposal = Literal["proposed", "declined", "crowded"]
Status = Literal["stored", "known", "promoted", "restored", "quarantined", "removed", "refused", "changed", Proposal]

TIERS: tuple[Tier, ...] = (
    "core",
    "strategic",
    "validated",
    "draft",
)  # in the order of disclosure, firmest first


@dataclass(frozen=True)
class Author:
    """Who calls: the client's name, its server's process, and its host's session where a hook says it."""

    client: str
    session: str
    host_session: str = ""


PERSON = Author(client="person", session="command line")
"""Who writes by the command line; no tool's session is called so."""


@dataclass(frozen=True)
class NewMemory:
    """What a write asks to remember."""

    summary: str
    tier: Tier
    namespace: str
    branch: str = ""
    goal_id: str = ""
    subject: str = ""
    tags: tuple[str, ...] = ()
    importance: float = 0.5
    supersedes: tuple[int, ...] = ()
    near: tuple[tuple[int, float], ...] = ()  # memories near in meaning, and their cosines, where the model is on


@dataclass(frozen=True)
class Quote:
    """A memory mentioned beside an answer."""

    id: int
    tier: Tier
    summary: str
    subject: str = ""
    created_at: float = 0.0


@dataclass(frozen=True)
class Written:
    """What a write did: `status` says it in one word."""

    id: int
    tier: Tier
    status: Status
    superseded: tuple[Quote, ...] = ()
    similar: tuple[Quote, ...] = ()
    conflicting: tuple[Quote, ...] = ()
    same_goal: tuple[Quote, ...] = ()  # strategic memories of its goal that stand as before
    notes: tuple[str, ...] = ()


AUTOMATIC = 0  # a limit: ten with a query, else as many as the token budget has room for


@dataclass(frozen=True)
class Question:
    """What a recall asks. `since` and `until` are seconds since 1970 UTC, half open."""

    namespace: str
    query: str = ""
    goal_id: str = ""
    tags: tuple[str, ...] = ()
    tiers: tuple[Tier, ...] = TIERS
    limit: int = AUTOMATIC
    token_budget: int = 1500
    since: float = float("-inf")
    until: float = float("inf")
    branch: str = ""
    include_archived: bool = False
    explain: bool = False
    author: Author | None = None  # who asks: "last time" is before that session

    @property
    def dated(self) -> bool:
        """Whether only what was written in a span of time is asked for."""
        return self.since > float("-inf") or self.until < float("inf")

    @property
    def filtered(self) -> bool:
        """Whether a filter other than tier and goal is asked for."""
        return bool(self.tags) or self.dated

    @property
    def narrowed(self) -> bool:
        """Whether a filter other than the goal is asked for."""
        return self.filtered or set(self.tiers) != set(TIERS)


class RecalledMemory(NamedTuple):
    """A memory and every factor of the score that ranks it: recall.sql's columns. Times are seconds since 1970 UTC."""

    id: int
    tier: Tier
    state: str
    branch: str
    goal: str
    subject: str
    summary: str
    tags: tuple[str, ...]
    source: str
    suspect: bool
    created_at: float
    reviewed_at: float
    recall_count: int
    consolidation: float
    importance: float
    strength: float
    half_life: float
    decay: float
    rfm: float
    trust: float
    alignment: float
    relevance: float
    score: float
    words_relevance: float = 1.0  # of its words: the share of the best, with the model lifted by its context
    meaning: float | None = None  # and of meaning, None where the model had no part in it
    superseded_by: int = 0


@dataclass(frozen=True)
class Opposed:
    """A memory that stands against another one: surely, about the same subject, or by what it says."""

    id: int
    tier: Tier
    created_at: float
    summary: str
    sure: bool


class Elsewhere(NamedTuple):
    """An empty namespace, the file it was looked for in, and how many memories others hold there."""

    namespace: str
    file: str
    others: dict[str, int]
    more: int  # namespaces that are not named


class Section(NamedTuple):
    """A part of what a session starts with; of an earlier session, when it wrote last and whose it was."""

    kind: str  # "core", "goals", "session", "now" for the caller's own, "more"
    size: int
    at: float = 0.0
    client: str = ""


@dataclass(frozen=True)
class Recalled:
    """What a recall found, in the order it is told: by tier, then by score; by sections where a session starts."""

    memories: tuple[RecalledMemory, ...]
    left_out: dict[str, int] = field(default_factory=dict)  # by tier: found or stored, but not told
    more: int = 0  # others that match a query
    uncounted: bool = False  # still more may match
    put_away: dict[str, int] = field(default_factory=dict)  # by state: what matches better, and is not searched
    relevant: bool = True  # what is told is above the relevance floor, or nothing is told
    nearest: bool = False  # something comes near, and is not told because it is below the floor
    core: int = 0  # core facts that a call without a query would show
    opposed: dict[int, tuple[Opposed, ...]] = field(default_factory=dict)  # what stands against each that is told
    proposed: dict[int, int] = field(default_factory=dict)  # core facts that a waiting proposal would replace, and it
    opponents: tuple[Opposed, ...] = ()  # those of them that are not told themselves
    cut_by: str = ""  # what left something out: "limit" or "token_budget"
    sections: tuple[Section, ...] = ()  # of a session's start, in order
    chance: float = 1.0  # that what is told answers the query
    by_id: bool = False  # read by their ids, whole
    company: tuple[RecalledMemory, ...] = ()  # core facts that come along with an answer
    elsewhere: Elsewhere | None = None  # where memories are, if this namespace holds none
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Changed:
    """What became of the memories that feedback or archiving named, one line each."""

    lines: tuple[str, ...]
    done: int
