"""The records of an import come in, one after another: new, joined with what is here, or kept out."""

import json
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from firmmem.memory.exchange.arrival import Arrival, note_change
from firmmem.memory.exchange.merge import exported_life, join_ledgers, merge_memory
from firmmem.memory.exchange.prepare import Prepared
from firmmem.memory.exchange.record import GoalRecord, MemoryRecord, ProposalRecord, SessionRecord
from firmmem.memory.exchange.references import References
from firmmem.memory.exchange.take_back import snapshot_goal, snapshot_memory
from firmmem.memory.exchange.tombstones import find_tombstone, insert_tombstone
from firmmem.memory.rows.ranking_keys import Keying, Life, compute_keys, stored_keying
from firmmem.memory.rows.shelves import ensure_goal, find_goal, normalise_label
from firmmem.settings import Settings
from firmmem.store.statements import Connection, fetch, run
from firmmem.text.normal_form import to_one_line


@dataclass
class Imported:
    """What an import did: counts, its run, and a line on each core fact that stayed as it was."""

    new: int = 0
    merged: int = 0
    same: int = 0  # core facts that are here as they come
    proposed: int = 0
    erased: int = 0  # which came with their content, and were erased here
    kept: list[str] = field(default_factory=list)
    run_id: int = field(default=0, compare=False)

    @property
    def changed(self) -> int:
        """Return how much it changed."""
        return self.new + self.merged + self.proposed


class Arriving:
    """An import under way: what it has done, and what is to be bound at its end.

    `join`: a memory that is here is joined with the one that comes; else it is left as it is.
    """

    def __init__(self, arrival: Arrival, settings: Settings, *, join: bool = True) -> None:
        self.arrival = arrival
        self.connection: Connection = arrival.connection
        self.settings = settings
        self.join = join
        self.done = Imported(run_id=arrival.run_id)
        self.later: list[Prepared] = []  # core facts and proposals, which come when all else is seen
        self.references = References(arrival.offset)
        self._goals: dict[tuple[str, str], int] = {}
        self._streams: set[float | None] = set()
        self._keying: Keying | None = None

    def take_all(self, batch: list[Prepared]) -> None:
        """Take in some records, in as many pieces as they need."""
        start = 0
        while start < len(batch):
            with self.arrival.piece() as until:
                self._keying = stored_keying(self.connection)[0]
                while start < len(batch):
                    self.take(batch[start])
                    start += 1
                    if time.perf_counter() > until:
                        break

    def take(self, arriving: Prepared) -> None:
        """Take in one record, or put it off: core facts come with what makes all else seen, proposals after them."""
        record = arriving.record
        match record:
            case GoalRecord():
                self._goal(record)
            case SessionRecord():
                given = record.model_dump() | {"namespace": normalise_label(record.namespace)}
                run(self.connection, "import_session", **given)
            case MemoryRecord():
                if record.tier == "core" and not self.arrival.shown:
                    self.later.append(arriving)
                else:
                    self._memory(record, arriving)
            case _:
                self.later.append(arriving)

    def settle(self) -> None:
        """Bind what refers to other memories, and let all be seen.

        Raises:
            InvalidArgumentError: A memory refers to one that is not in the file.
        """
        self.references.refuse_circles(self.connection)
        waiting: list[Any] = []
        while self.references.bonds:
            with self.arrival.piece() as until:
                waiting += self.references.bind(self.connection, self._noted, until)
        self.references.bonds.extend(waiting)
        with self.arrival.piece():
            crowded = self.arrival.show()
            self._keying = stored_keying(self.connection)[0]
            for arriving in self.later:
                if isinstance(arriving.record, MemoryRecord):
                    self._memory(arriving.record, arriving)
            self.references.bind(self.connection, self._noted, math.inf, last=True)
            for arriving in self.later:
                if isinstance(arriving.record, ProposalRecord):
                    self._propose(arriving.record, arriving)
        self.arrival.move_crowded(crowded)

    def _goal(self, record: GoalRecord) -> None:
        space, name = normalise_label(record.namespace), normalise_label(record.name)
        row = find_goal(self.connection, space, name)
        before = snapshot_goal(self.connection, row["id"]) if row else None
        run(
            self.connection,
            "import_goal",
            namespace=space,
            name=name,
            opened_at=record.opened_at,
            closed_at=record.closed_at,
        )
        goal = find_goal(self.connection, space, name)["id"]
        self._goals[space, name] = goal
        after = snapshot_goal(self.connection, goal)
        if after != before:
            note_change(self.connection, self.done.run_id, "goal", goal, before, after)

    def _goal_number(self, namespace: str, name: str) -> int:
        """Return the number of a goal that a memory serves, which is made if it is not there."""
        if not name:
            return 0
        if (namespace, name) not in self._goals:
            row = find_goal(self.connection, namespace, name)
            if row is None:
                row = ensure_goal(self.connection, namespace, name)
                after = snapshot_goal(self.connection, row["id"])
                note_change(self.connection, self.done.run_id, "goal", row["id"], None, after)
            self._goals[namespace, name] = row["id"]
        return self._goals[namespace, name]

    def _memory(self, record: MemoryRecord, arriving: Prepared) -> None:
        new = arriving.stored
        if record.state == "erased":
            self._tombstone(record, new.namespace)
            return
        row = self._known(record, arriving) or self._core_rival(record, arriving)
        left = find_tombstone(self.connection, record, new.namespace) if row is None else None
        if left is not None:
            self.references.merged[record.id] = left
            self.done.erased += 1
            return
        if row is None:
            self._insert(record, arriving)
            self.done.new += 1
            return
        self.references.merged[record.id] = row["id"]
        if "core" in (row["tier"], record.tier):
            self._keep(record, row)
            return
        if self.join and not self.references.is_new(row["id"]):
            with self._noted(row["id"]):
                self._goal_number(new.namespace, new.goal_id)
                merge_memory(self.connection, record, new, row, self.references, self.settings)
        self.done.merged += 1

    def _tombstone(self, record: MemoryRecord, namespace: str) -> None:
        """Keep the place of what was erased where the export comes from; what is here of it stays."""
        left = find_tombstone(self.connection, record, namespace)
        if left is not None:
            self.references.merged[record.id] = left
            self.done.merged += 1
            return
        memory, life = self.references.here(record.id), exported_life(record)
        shelf = self.arrival.shelf(namespace, "erased", "")
        insert_tombstone(self.connection, record, namespace, memory, shelf, vars(life) | self._keys(life))
        if record.superseded_by is not None:
            self.references.bonds.append(("superseded_by", memory, [record.superseded_by]))
        join_ledgers(self.connection, record, memory, self.references, self.arrival.shelf)
        self.done.new += 1

    def _known(self, record: MemoryRecord, arriving: Prepared) -> Any:
        """Return the same memory here: what stands, or an earlier version that is history already."""
        standing_here = fetch(self.connection, "memory_by_identity", identity=arriving.identity)
        if standing_here and (record.superseded_by is None or standing_here[0]["created_at"] == record.created_at):
            return standing_here[0]
        if record.superseded_by is None:
            return None
        new = arriving.stored
        shelf = fetch(self.connection, "shelf", namespace=new.namespace, state="superseded", branch=new.branch)
        found = shelf and fetch(
            self.connection,
            "import_known",
            shelf=shelf[0]["id"],
            created_at=record.created_at,
            identity=arriving.identity,
        )
        return found[0] if found else None

    def _core_rival(self, record: MemoryRecord, arriving: Prepared) -> Any:
        """Return the core fact here that has the subject of one in the export."""
        new = arriving.stored
        if record.tier != "core" or not new.subject:
            return None
        shelf = self.arrival.shelf(new.namespace, record.state, new.branch)
        rows = fetch(self.connection, "memory_by_subject", shelf=shelf, subject=new.subject)
        return next((row for row in rows if row["tier"] == "core"), None)

    def _insert(self, record: MemoryRecord, arriving: Prepared) -> None:
        new, life = arriving.stored, exported_life(record)
        memory = self.references.here(record.id)
        run(
            self.connection,
            "import_memory",
            id=memory,
            shelf=self.arrival.shelf(new.namespace, record.state, new.branch),
            goal=self._goal_number(new.namespace, new.goal_id),
            identity=arriving.identity,
            source=record.source,
            initial_trust=record.initial_trust,
            created_at=record.created_at,
            state_at=record.state_at,
            state_cause=record.state_cause,
            state_reason=record.state_reason,
            superseded_by=None if record.superseded_by is None else memory,  # until its successor is here
            supersedes="[]",
            namespace=new.namespace,
            session=record.session,
            **arriving.columns,
            **vars(life),
            **self._keys(life),
        )
        if record.superseded_by is not None:
            self.references.bonds.append(("superseded_by", memory, [record.superseded_by]))
        if record.supersedes:
            self.references.bonds.append(("supersedes", memory, record.supersedes))
        join_ledgers(self.connection, record, memory, self.references, self.arrival.shelf)

    def _keys(self, life: Life) -> dict[str, float | None]:
        """Return the ranking keys of a new memory, with its stream in place."""
        values = compute_keys(life, self._keying or stored_keying(self.connection)[0])
        slope = values.pop("slope")
        if values["stream"] not in self._streams:
            run(self.connection, "stream_insert", id=values["stream"], slope=slope)
            self._streams.add(values["stream"])
        return values

    def _keep(self, record: MemoryRecord, core: Any) -> None:
        """Leave a core fact as it is, and say so where the export has another."""
        if to_one_line(record.summary) == to_one_line(core["summary"]):
            self.done.same += 1
        else:
            self.done.kept.append(
                f"kept #{core['id']}: {to_one_line(core['summary'])} (not: {to_one_line(record.summary)})"
            )

    def _propose(self, proposal: ProposalRecord, arriving: Prepared) -> None:
        new = arriving.stored
        added = run(
            self.connection,
            "import_proposal",
            **proposal.model_dump(exclude={"type", "memory"})
            | {
                "fact": new.summary,
                "namespace": new.namespace,
                "subject": new.subject,
                "tags": json.dumps(new.tags, ensure_ascii=False),
                "identity": arriving.identity,
                "memory": None if proposal.memory is None else self.references.here(proposal.memory),
                "replaces": None if proposal.replaces is None else self.references.here(proposal.replaces),
            },
        )
        if added:
            [row] = fetch(self.connection, "arrival_proposed", identity=arriving.identity)
            note_change(self.connection, self.done.run_id, "proposal", row["id"], None, None)
            self.done.proposed += 1

    @contextmanager
    def _noted(self, memory: int) -> Iterator[None]:
        """Write down how a memory that was here is before and after it is changed."""
        if self.references.is_new(memory):
            yield
            return
        before = snapshot_memory(self.connection, memory)
        yield
        after = snapshot_memory(self.connection, memory)
        if before != after:
            note_change(self.connection, self.done.run_id, "memory", memory, before, after)
