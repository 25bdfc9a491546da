"""Import: the lines of an export become memories, all of them or none, merged by identity with what is there.

A memory that is there stays where it is unless the export moved it later; of its life the later one counts, and its
ledgers are joined. A core fact that is there is never changed. Every text is cleaned, checked and segmented as one
that is written.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from firmmem import scoring
from firmmem.contract import NewMemory
from firmmem.database import Connection, fetch, run
from firmmem.errors import FirmMemError, InvalidArgumentError
from firmmem.memory.keys import RANK, Life, live, placed
from firmmem.memory.record import FORMAT, GoalRecord, MemoryRecord, MoveRecord, ProposalRecord
from firmmem.memory.shelves import identity, label, named_goal, shelf_id
from firmmem.memory.trust import folded, standing
from firmmem.memory.write import TAG_CAP, checked, indexed
from firmmem.refusal import reads_like_instruction
from firmmem.settings import Settings
from firmmem.text import one_line

LONGEST = 100_000  # characters of a text: the highest that FIRMMEM_SUMMARY_CAP allows


@dataclass
class Imported:
    """What an import did: counts, and a line on each core fact that stayed as it was."""

    new: int = 0
    merged: int = 0
    kept: list[str] = field(default_factory=list)


def imported(connection: Connection, lines: Iterable[bytes], settings: Settings, *, namespace: str = "") -> Imported:
    """Take in an export, in a transaction of the caller's; needs a connection by a person.

    `namespace` refuses what belongs to another one.

    Raises:
        InvalidArgumentError: A line is none of an export, or the file is cut short or altered; the line is named.
    """
    connection.execute("PRAGMA defer_foreign_keys = ON")  # a memory may come before the one that supersedes it
    arrival = Arrival(connection, settings.model_copy(update={"summary_cap": LONGEST}), namespace)
    digest, count, whole = hashlib.sha256(), 0, False
    for number, line in enumerate(lines, 1):
        if whole and line.strip():
            raise InvalidArgumentError(f"line {number} comes after the export's end; nothing was imported.")
        if whole:
            continue
        value = parsed(line, number)
        kind = value.get("type")
        if number == 1:
            check_header(value)
        elif kind == "end":
            if (value.get("records"), value.get("sha256")) != (count, digest.hexdigest()):
                raise InvalidArgumentError(f"line {number}: the file was altered; nothing was imported.")
            whole = True
        else:
            arrival.take(kind, line, number)
            count += 1
        digest.update(line)
    if not whole:
        raise InvalidArgumentError("The file is cut short: its last line is missing; nothing was imported.")
    arrival.settle()
    return arrival.done


def parsed(line: bytes, number: int) -> dict[str, Any]:
    """Return the object on a line."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InvalidArgumentError(f"line {number} is no line of an export; nothing was imported.")
    return value


def check_header(value: dict[str, Any]) -> None:
    """Refuse what `firmmem export` did not write, or a newer one did."""
    if value.get("type") != "firmmem":
        raise InvalidArgumentError("The file is no export of FirmMem; nothing was imported.")
    if value.get("format") != FORMAT:
        raise InvalidArgumentError(
            f"The export has format {value.get('format')} and this FirmMem knows {FORMAT}: upgrade FirmMem."
        )


class Arrival:
    """An import under way: what it has done, and which ids its memories have here."""

    def __init__(self, connection: Connection, settings: Settings, namespace: str) -> None:
        self.connection = connection
        self.settings = settings
        self.namespace = namespace
        self.done = Imported()
        [there] = fetch(connection, "memory_next_id")
        empty = not connection.execute("SELECT 1 FROM memory LIMIT 1").fetchall()
        self._offset = 0 if empty else there["id"] - 1
        self._merged: dict[int, int] = {}  # id in the export → id of the same memory here
        self._successors: list[tuple[int, int]] = []
        self._supersedes: list[tuple[int, list[int]]] = []
        self._conflicts: list[tuple[int, int]] = []
        self._proposals: list[ProposalRecord] = []

    def here(self, exported_id: int) -> int:
        """Return the id that a memory of the export has here."""
        return self._merged.get(exported_id, exported_id + self._offset)

    def take(self, kind: object, line: bytes, number: int) -> None:
        """Take in one record.

        Raises:
            InvalidArgumentError: It can't be; the line is named, never its content.
        """
        takers: dict[object, Callable[[bytes], None]] = {
            "goal": self._goal,
            "memory": self._memory,
            "proposal": self._proposal,
        }
        taker = takers.get(kind)
        if taker is None:
            raise InvalidArgumentError(f"line {number}: {kind!r} is no kind of record; nothing was imported.")
        try:
            taker(line)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in fault["loc"])
            raise InvalidArgumentError(f"line {number}: {where}: {fault['msg']}; nothing was imported.") from None
        except FirmMemError as error:
            raise InvalidArgumentError(f"line {number}: {error} Nothing was imported.") from error

    def _goal(self, line: bytes) -> None:
        goal = GoalRecord.model_validate_json(line)
        self._allowed(goal.namespace)
        run(
            self.connection,
            "import_goal",
            namespace=label(goal.namespace),
            name=label(goal.name),
            opened_at=goal.opened_at,
            closed_at=goal.closed_at,
        )

    def _proposal(self, line: bytes) -> None:
        proposal = ProposalRecord.model_validate_json(line)
        self._allowed(proposal.namespace)
        self._proposals.append(proposal)

    def _allowed(self, namespace: str) -> None:
        if self.namespace and label(namespace) != self.namespace:
            raise InvalidArgumentError(f"it belongs to another namespace than {self.namespace!r}.")

    def _memory(self, line: bytes) -> None:
        record = MemoryRecord.model_validate_json(line)
        self._allowed(record.namespace)
        new = as_written(record, self.settings)
        key = identity(new.namespace, new.branch, new.summary)
        known = self._known(record, new, key)
        if known is not None:
            self._merged[record.id] = known["id"]
            self._merge(record, new, known)
        elif rival := self._core_rival(record, new):
            self._merged[record.id] = rival["id"]
            self._keep(record, rival)
        else:
            self._insert(record, new, key)
            self.done.new += 1

    def _known(self, record: MemoryRecord, new: NewMemory, key: bytes) -> Any:
        """Return the same memory here: what stands, or an earlier version that is history already."""
        standing_here = fetch(self.connection, "memory_by_identity", identity=key)
        if standing_here and (record.superseded_by is None or standing_here[0]["created_at"] == record.created_at):
            return standing_here[0]
        if record.superseded_by is None:
            return None
        shelf = shelf_id(self.connection, new.namespace, "superseded", new.branch)
        found = fetch(self.connection, "import_known", shelf=shelf, created_at=record.created_at, identity=key)
        return found[0] if found else None

    def _core_rival(self, record: MemoryRecord, new: NewMemory) -> Any:
        """Return the core fact here that has the subject of one in the export."""
        if record.tier != "core" or not new.subject:
            return None
        shelf = shelf_id(self.connection, new.namespace, record.state, new.branch)
        rows = fetch(self.connection, "memory_by_subject", shelf=shelf, subject=new.subject)
        return next((row for row in rows if row["tier"] == "core"), None)

    def _keep(self, record: MemoryRecord, core: Any) -> None:
        if one_line(record.summary) != one_line(core["summary"]):
            self.done.kept.append(f"kept #{core['id']}: {one_line(core['summary'])} (not: {one_line(record.summary)})")

    def _insert(self, record: MemoryRecord, new: NewMemory, key: bytes) -> None:
        """Add a memory that is not here."""
        memory_id = self.here(record.id)
        life = life_of(record)
        words = indexed(new.summary, new.subject, new.tags)
        run(
            self.connection,
            "import_memory",
            id=memory_id,
            shelf=shelf_id(self.connection, new.namespace, record.state, new.branch),
            goal=named_goal(self.connection, new.namespace, new.goal_id)["id"] if new.goal_id else 0,
            subject=new.subject,
            summary=new.summary,
            tags=json.dumps(new.tags, ensure_ascii=False),
            identity=key,
            source=record.source,
            suspect=int(reads_like_instruction(new.summary)),
            initial_trust=record.initial_trust,
            created_at=record.created_at,
            state_at=record.state_at,
            state_cause=record.state_cause,
            state_reason=record.state_reason,
            superseded_by=None if record.superseded_by is None else self.here(record.superseded_by),
            supersedes=json.dumps([self.here(each) for each in record.supersedes]),
            words=words.words,
            repeated=words.repeated,
            length=words.length,
            **{name: getattr(life, name) for name in Life.__dataclass_fields__},
            **placed(self.connection, life),
        )
        if record.superseded_by is not None:
            self._successors.append((memory_id, record.superseded_by))
        if record.supersedes:
            self._supersedes.append((memory_id, record.supersedes))
        self._ledgers(record, memory_id)

    def _merge(self, record: MemoryRecord, new: NewMemory, row: Any) -> None:
        """Join a memory with the same one here; a core fact stays as it is."""
        if row["tier"] == "core" or record.tier == "core":
            self._keep(record, row)
            return
        self.done.merged += 1
        before = len(fetch(self.connection, "export_votes", memory=row["id"]))
        self._ledgers(record, row["id"])
        self._annotate(new, row)
        initial = max(row["initial_trust"], record.initial_trust)
        life = later(Life.of(row), life_of(record))
        votes = standing(self.connection, row["id"])
        if initial != row["initial_trust"]:
            run(self.connection, "initial_trust", id=row["id"], initial_trust=initial)
        if initial != row["initial_trust"] or len(fetch(self.connection, "export_votes", memory=row["id"])) != before:
            life = replace(life, trust=folded(initial, [vote["outcome"] for vote in votes], self.settings))
        if life != Life.of(row):
            live(self.connection, row["id"], life)
        if record.state_at > row["state_at"] and record.state != row["state"]:
            self._move(record, new, row)

    def _move(self, record: MemoryRecord, new: NewMemory, row: Any) -> None:
        """Put a memory where the export has put it later."""
        run(
            self.connection,
            "move",
            id=row["id"],
            shelf=shelf_id(self.connection, new.namespace, record.state, new.branch),
            identity=row["identity"],
            superseded_by=None if record.superseded_by is None else self.here(record.superseded_by),
            now=record.state_at,
            cause=record.state_cause,
            reason=record.state_reason,
        )
        if record.superseded_by is not None:
            self._successors.append((row["id"], record.superseded_by))

    def _annotate(self, new: NewMemory, row: Any) -> None:
        """Add the tags, the subject and the goal that a memory lacks."""
        tags = tuple(dict.fromkeys([*json.loads(row["tags"]), *new.tags]))[:TAG_CAP]
        subject = row["subject"] or new.subject
        goal = row["goal"]
        if not goal and new.goal_id:
            goal = named_goal(self.connection, new.namespace, new.goal_id)["id"]
        if (list(tags), subject, goal) == (json.loads(row["tags"]), row["subject"], row["goal"]):
            return
        words = indexed(row["summary"], subject, tags)
        run(
            self.connection,
            "annotate",
            id=row["id"],
            tags=json.dumps(tags, ensure_ascii=False),
            subject=subject,
            goal=goal,
            words=words.words,
            repeated=words.repeated,
            length=words.length,
        )

    def _ledgers(self, record: MemoryRecord, memory: int) -> None:
        """Add what the export knows of a memory's past."""
        for vote in record.votes:
            run(self.connection, "import_vote", memory=memory, **vote.model_dump())
            if vote.revoked_at is not None:
                run(self.connection, "import_revocation", memory=memory, **vote.model_dump())
        for review in record.reviews:
            run(self.connection, "import_review", memory=memory, **review.model_dump())
        for move in record.moves:
            run(self.connection, "import_move", memory=memory, **self._between(record, move))
        for quarantine in record.quarantines:
            run(self.connection, "import_quarantine", memory=memory, **quarantine.model_dump())
        if record.exposure:
            run(self.connection, "import_exposure", memory=memory, **record.exposure.model_dump())
        self._conflicts += [(memory, other) for other in record.conflicts]

    def _between(self, record: MemoryRecord, move: MoveRecord) -> dict[str, object]:
        """Return a move with the shelves that it went between."""
        space = label(record.namespace)
        return move.model_dump() | {
            "from_shelf": shelf_id(self.connection, space, move.from_state, move.from_branch),
            "to_shelf": shelf_id(self.connection, space, move.to_state, move.to_branch),
        }

    def settle(self) -> None:
        """Bind what refers to other memories, now that all have their ids.

        Raises:
            InvalidArgumentError: A memory refers to one that is not in the file.
        """
        for memory, successor in self._successors:
            run(self.connection, "import_superseded_by", id=memory, superseded_by=self.here(successor))
        for memory, targets in self._supersedes:
            ids = json.dumps([self.here(target) for target in targets])
            run(self.connection, "import_supersedes", id=memory, supersedes=ids)
        for memory, other in self._conflicts:
            run(self.connection, "import_conflict", memory=memory, other=self.here(other))
        for proposal in self._proposals:
            self._propose(proposal)
        if fetch(self.connection, "import_dangling"):
            raise InvalidArgumentError("A memory is superseded by one that is not in the file; nothing was imported.")

    def _propose(self, proposal: ProposalRecord) -> None:
        fact = NewMemory(proposal.fact, "core", proposal.namespace, subject=proposal.subject, tags=tuple(proposal.tags))
        new = checked(fact, self.settings)
        run(
            self.connection,
            "import_proposal",
            **proposal.model_dump(exclude={"type", "memory"})
            | {
                "fact": new.summary,
                "namespace": new.namespace,
                "subject": new.subject,
                "tags": json.dumps(new.tags, ensure_ascii=False),
                "identity": identity(new.namespace, "", new.summary),
                "memory": None if proposal.memory is None else self.here(proposal.memory),
            },
        )


def as_written(record: MemoryRecord, settings: Settings) -> NewMemory:
    """Return a record's text and labels as a write would store them.

    Raises:
        InvalidTextError: The text can't be stored as it is.
        RefusedTextError: The text is no memory.
    """
    new = NewMemory(
        record.summary,
        record.tier,
        record.namespace,
        branch=record.branch,
        goal_id=record.goal,
        subject=record.subject,
        tags=tuple(record.tags),
        importance=record.importance,
    )
    kept = checked(new, settings)
    if not kept.namespace:
        raise InvalidArgumentError("it belongs to no namespace.")
    return kept


def life_of(record: MemoryRecord) -> Life:
    """Return the life that a record tells of; core stands beyond trust."""
    life = Life(
        record.tier,
        record.importance,
        record.trust,
        record.consolidation,
        record.recall_count,
        record.strength,
        record.reviewed_at,
    )
    return replace(life, trust=1.0) if record.tier == "core" else life


def later(one: Life, other: Life) -> Life:
    """Return the life that was reviewed later, at the firmer tier and the higher importance."""
    newest = other if (other.reviewed_at, other.recall_count) > (one.reviewed_at, one.recall_count) else one
    firmer = min(one.tier, other.tier, key=RANK.__getitem__)
    return replace(newest, tier=firmer, importance=scoring.unit(max(one.importance, other.importance)), trust=one.trust)
