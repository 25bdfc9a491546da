"""What a line of an export holds: everything of a memory, a goal or a proposal that is not computed from the rest.

Vectors, statistics, alerts and the runs of upkeep are not in an export: they come again by themselves.
"""

import json
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo

from firmmem.contract import Outcome, Tier
from firmmem.errors import InvalidTextError
from firmmem.text.normal_form import clean_text
from firmmem.text.screening import secret_in

FORMAT = 1
LATEST = 253_402_300_799  # the last second of the year 9999
ARRIVING = {"arriving": True}  # the context in which a record of another file is read
State = Literal["active", "archived", "superseded", "quarantined", "erased"]


def check_remark(text: str, info: ValidationInfo) -> str:
    """Return what stands beside a change (a note, a reason, a client's name); what arrives as a write would store it.

    Raises:
        ValueError: It can't be stored: it holds a secret, or no text can hold it.
    """
    if info.context != ARRIVING:
        return text
    try:
        kept = clean_text(text) if text.strip() else ""
    except InvalidTextError as error:
        raise ValueError(str(error)) from None
    if kind := secret_in(kept):
        raise ValueError(f"it holds a secret ({kind})")
    return kept


def check_time(seconds: float, info: ValidationInfo) -> float:
    """Return a moment; one that arrives has to be in a calendar.

    Raises:
        ValueError: It is not.
    """
    if info.context == ARRIVING and not 0 <= seconds <= LATEST:
        raise ValueError("it is no date from 1970 to 9999")
    return seconds


Said = Annotated[str, AfterValidator(check_remark)]
Share = Annotated[float, Field(ge=0, le=1)]
Time = Annotated[float, Field(allow_inf_nan=False), AfterValidator(check_time)]  # seconds since 1970 UTC
Id = Annotated[int, Field(gt=0, lt=2**39)]
Count = Annotated[int, Field(ge=0, lt=2**53)]


class Record(BaseModel):
    """Values as they are in the file; one that is missing or unknown is a fault."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class VoteRecord(Record):
    """One entry of the trust ledger."""

    at: Time
    client: Said
    session: Said
    outcome: Outcome
    note: Said
    trust_before: Share
    trust_after: Share
    revoked_at: Time | None
    revoked_reason: Said
    revoked_before: Share | None
    revoked_after: Share | None


class MoveRecord(Record):
    """One entry of the ledger of moves."""

    at: Time
    cause: Said
    reason: Said
    from_tier: Tier
    to_tier: Tier
    from_state: State
    from_branch: str
    to_state: State
    to_branch: str
    was_at: Time
    was_cause: Said
    was_reason: Said


class ReviewRecord(Record):
    """One review."""

    at: Time
    decay: Share
    consolidation: Share


class QuarantineRecord(Record):
    """Why a memory was set aside."""

    at: Time
    metric: Literal["trust", "fall"]
    value: float
    centre: float
    spread: float
    n: Count
    reason: Said


class ExposureRecord(Record):
    """How often a memory was shown."""

    times: Count
    last_at: Time


class GoalRecord(Record):
    """A goal."""

    type: Literal["goal"] = "goal"
    namespace: str
    name: str
    opened_at: Time | None
    closed_at: Time | None


class SessionRecord(Record):
    """A session that wrote, recalled or voted."""

    type: Literal["session"] = "session"
    namespace: str
    client: Said
    key: Annotated[Said, Field(min_length=1)]
    process: Said
    host_session: Said
    began_at: Time
    seen_at: Time
    ended_at: Time | None


class MemoryRecord(Record):
    """A memory, with its ledgers."""

    type: Literal["memory"] = "memory"
    id: Id
    namespace: str
    state: State
    branch: str
    tier: Tier
    goal: str
    subject: str
    summary: str
    tags: list[str]
    source: Said
    importance: Share
    initial_trust: Share
    trust: Share
    consolidation: Share
    recall_count: Count
    strength: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    created_at: Time
    reviewed_at: Time
    state_at: Time
    state_cause: Said
    state_reason: Said
    superseded_by: Id | None
    supersedes: list[int]
    session: Said = ""  # the key of the one that wrote it
    exposure: ExposureRecord | None = None
    votes: list[VoteRecord] = Field(default_factory=list)
    reviews: list[ReviewRecord] = Field(default_factory=list)
    moves: list[MoveRecord] = Field(default_factory=list)
    quarantines: list[QuarantineRecord] = Field(default_factory=list)
    conflicts: list[Id] = Field(default_factory=list)
    alone: bool = False  # of what was erased: nothing else was written at its moment


class ProposalRecord(Record):
    """A core fact that waits or waited for a person."""

    type: Literal["proposal"] = "proposal"
    namespace: str
    fact: str
    subject: str
    tags: list[str]
    client: Said
    session: Said
    at: Time
    state: Literal["waiting", "accepted", "refused"]
    decided_at: Time | None
    memory: Id | None
    replaces: Id | None = None


def format_line(value: dict[str, object]) -> bytes:
    """Return one line of an export: the same value is always the same bytes."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def format_record(record: Record) -> bytes:
    """Return a record as a line; empty lists and absent values of a memory are left out."""
    value = record.model_dump()
    if isinstance(record, MemoryRecord):
        optional = ("session", "exposure", "votes", "reviews", "moves", "quarantines", "conflicts", "alone")
        value = {key: held for key, held in value.items() if key not in optional or held}
    return format_line(value)
