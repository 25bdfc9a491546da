"""Import: the lines of an export become memories, all of them or none, merged by identity with what is there.

A memory that is there stays where it is unless the export moved it later; of its life the later one counts, and its
ledgers are joined. A core fact that is there is never changed. Every text is cleaned, checked and segmented as one
that is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from firmmem.contract import NewMemory
from firmmem.errors import FirmMemError, InvalidArgumentError
from firmmem.memory.exchange.merge import as_stored_text, insert_memory, merge_memory
from firmmem.memory.exchange.read_lines import Told, read_records
from firmmem.memory.exchange.record import GoalRecord, MemoryRecord, ProposalRecord, SessionRecord
from firmmem.memory.exchange.references import build_references
from firmmem.memory.rows.shelves import ensure_shelf, memory_identity, normalise_label
from firmmem.memory.write.write import check_memory
from firmmem.store.statements import Connection, fetch, run
from firmmem.text.normal_form import to_one_line

if TYPE_CHECKING:
    from firmmem.settings import Settings

LONGEST = 100_000  # characters of a text: the highest that FIRMMEM_SUMMARY_CAP allows


@dataclass
class Imported:
    """What an import did: counts, and a line on each core fact that stayed as it was."""

    new: int = 0
    merged: int = 0
    same: int = 0  # core facts that are here as they come
    kept: list[str] = field(default_factory=list)


def import_lines(
    connection: Connection, lines: Iterable[bytes], settings: Settings, *, namespace: str = ""
) -> Imported:
    """Take in an export, in a transaction of the caller's; needs a connection by a person.

    `namespace` refuses what belongs to another one.

    Raises:
        InvalidArgumentError: A line is none of an export, or the file is cut short or altered; the line is named.
    """
    connection.execute("PRAGMA defer_foreign_keys = ON")  # a memory may come before the one that supersedes it
    arriving = Import(connection, settings.model_copy(update={"summary_cap": LONGEST}), namespace)
    for number, record in read_records(lines):
        try:
            arriving.take(record)
        except FirmMemError as error:
            raise InvalidArgumentError(f"line {number}: {error} Nothing was imported.") from error
    arriving.settle()
    return arriving.done


class Import:
    """An import under way: what it has done, and what is to be bound at its end."""

    def __init__(self, connection: Connection, settings: Settings, namespace: str) -> None:
        self.connection = connection
        self.settings = settings
        self.namespace = namespace
        self.done = Imported()
        self._references = build_references(connection)
        self._proposals: list[ProposalRecord] = []

    def take(self, record: Told) -> None:
        """Take in one record; a proposal waits for the memory that it may name.

        Raises:
            FirmMemError: It can't be.
        """
        if self.namespace and normalise_label(record.namespace) != self.namespace:
            raise InvalidArgumentError(f"it belongs to another namespace than {self.namespace!r}.")
        match record:
            case GoalRecord():
                self._goal(record)
            case SessionRecord():
                self._session(record)
            case MemoryRecord():
                self._memory(record)
            case ProposalRecord():
                self._proposals.append(record)

    def settle(self) -> None:
        """Bind what refers to other memories, now that all have their ids.

        Raises:
            InvalidArgumentError: A memory refers to one that is not in the file.
        """
        self._references.bind(self.connection)
        for proposal in self._proposals:
            self._propose(proposal)

    def _goal(self, goal: GoalRecord) -> None:
        run(
            self.connection,
            "import_goal",
            namespace=normalise_label(goal.namespace),
            name=normalise_label(goal.name),
            opened_at=goal.opened_at,
            closed_at=goal.closed_at,
        )

    def _session(self, session: SessionRecord) -> None:
        given = session.model_dump() | {"namespace": normalise_label(session.namespace)}
        run(self.connection, "import_session", **given)

    def _memory(self, record: MemoryRecord) -> None:
        if self._references.taken(self.connection, record.id):
            raise InvalidArgumentError("its id is that of another memory in this export.")
        new = as_stored_text(record, self.settings)
        key = memory_identity(new.namespace, new.branch, new.summary)
        row = self._known(record, new, key) or self._core_rival(record, new)
        if row is None:
            insert_memory(self.connection, record, new, key, self._references)
            self.done.new += 1
            return
        self._references.merged[record.id] = row["id"]
        if "core" in (row["tier"], record.tier):
            self._keep(record, row)
        else:
            merge_memory(self.connection, record, new, row, self._references, self.settings)
            self.done.merged += 1

    def _known(self, record: MemoryRecord, new: NewMemory, key: bytes) -> Any:
        """Return the same memory here: what stands, or an earlier version that is history already."""
        standing_here = fetch(self.connection, "memory_by_identity", identity=key)
        if standing_here and (record.superseded_by is None or standing_here[0]["created_at"] == record.created_at):
            return standing_here[0]
        if record.superseded_by is None:
            return None
        shelf = ensure_shelf(self.connection, new.namespace, "superseded", new.branch)
        found = fetch(self.connection, "import_known", shelf=shelf, created_at=record.created_at, identity=key)
        return found[0] if found else None

    def _core_rival(self, record: MemoryRecord, new: NewMemory) -> Any:
        """Return the core fact here that has the subject of one in the export."""
        if record.tier != "core" or not new.subject:
            return None
        shelf = ensure_shelf(self.connection, new.namespace, record.state, new.branch)
        rows = fetch(self.connection, "memory_by_subject", shelf=shelf, subject=new.subject)
        return next((row for row in rows if row["tier"] == "core"), None)

    def _keep(self, record: MemoryRecord, core: Any) -> None:
        """Leave a core fact as it is, and say so where the export has another."""
        if to_one_line(record.summary) == to_one_line(core["summary"]):
            self.done.same += 1
        else:
            self.done.kept.append(
                f"kept #{core['id']}: {to_one_line(core['summary'])} (not: {to_one_line(record.summary)})"
            )

    def _propose(self, proposal: ProposalRecord) -> None:
        fact = NewMemory(proposal.fact, "core", proposal.namespace, subject=proposal.subject, tags=tuple(proposal.tags))
        new = check_memory(fact, self.settings)
        run(
            self.connection,
            "import_proposal",
            **proposal.model_dump(exclude={"type", "memory"})
            | {
                "fact": new.summary,
                "namespace": new.namespace,
                "subject": new.subject,
                "tags": json.dumps(new.tags, ensure_ascii=False),
                "identity": memory_identity(new.namespace, "", new.summary),
                "memory": None if proposal.memory is None else self._references.here(proposal.memory),
            },
        )
