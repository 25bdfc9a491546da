"""The one path in: what a source holds is checked as a write is, and becomes memories and proposals, never core."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from firmmem.contract import NewMemory, Tier
from firmmem.errors import FirmMemError
from firmmem.importers.found import Found
from firmmem.importers.rules import waits_for_person
from firmmem.memory.exchange.prepare import Prepared, text_columns
from firmmem.memory.exchange.record import MemoryRecord, ProposalRecord
from firmmem.memory.rows.shelves import memory_identity
from firmmem.memory.write.proposals import MOST_WAITING, existing_answer
from firmmem.memory.write.write import INITIAL_TRUST, check_memory
from firmmem.settings import Settings
from firmmem.store.statements import Connection, fetch
from firmmem.text.normal_form import to_one_line

IMPORTANCE = 0.5


@dataclass
class Intake:
    """What a source comes to: the records that are taken in, and why others are not."""

    ready: list[Prepared] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)  # by tier, and proposals
    refused: list[str] = field(default_factory=list)
    repeated: int = 0  # said more than once in the source
    known: int = 0  # here already
    crowded: int = 0  # identity and rules that became memories, since enough proposals wait

    @property
    def highest(self) -> int:
        """Return the highest id among the records."""
        return max((each.record.id for each in self.ready if isinstance(each.record, MemoryRecord)), default=0)

    def first(self, most: int) -> list[str]:
        """Return the first records as lines."""
        return [
            f"{'proposal' if isinstance(each.record, ProposalRecord) else each.stored.tier}: "
            f"{to_one_line(each.stored.summary)}"
            for each in self.ready[:most]
        ]


class Reader:
    """Reads what a source holds, against what is in a namespace already."""

    def __init__(
        self, connection: Connection | None, kind: str, namespace: str, settings: Settings, *, now: float
    ) -> None:
        self.connection = connection  # None: there is no file yet
        self.source = f"import from {kind}"
        self.namespace = namespace
        self.settings = settings
        self.now = now
        self.intake = Intake()
        self._seen: set[bytes] = set()
        self._room = MOST_WAITING - (
            fetch(connection, "proposals_waiting", namespace=namespace)[0]["count"] if connection else 0
        )

    def read(self, found: Iterable[Found]) -> Intake:
        """Return what becomes of everything."""
        for each in found:
            try:
                self.take(each)
            except FirmMemError as error:
                self.intake.refused.append(f"{each.place}: {error}")
        return self.intake

    def take(self, found: Found) -> None:
        """Take one statement in, or find that it is here.

        Raises:
            FirmMemError: It can't be stored: no text, a transcript, a secret, too long.
        """
        waits = found.about_user or waits_for_person(found.bare or found.text)
        tier: Tier = "validated" if found.confirmed else "draft"
        new = check_memory(
            NewMemory(found.text, tier, self.namespace, tags=found.tags, importance=IMPORTANCE), self.settings
        )
        identity = memory_identity(new.namespace, "", new.summary)
        if identity in self._seen:
            self.intake.repeated += 1
        elif self.is_here(new, identity):
            self.intake.known += 1
        elif waits and self._room > 0:
            self._room -= 1
            self.propose(found, new, identity)
        else:
            self.intake.crowded += waits
            self.store(found, new, identity)
        self._seen.add(identity)

    def is_here(self, new: NewMemory, identity: bytes) -> bool:
        """Return whether a text is remembered, proposed, or was settled by a person."""
        if self.connection is None:
            return False
        if fetch(self.connection, "memory_by_identity", identity=identity):
            return True
        return existing_answer(self.connection, new, identity) is not None

    def propose(self, found: Found, new: NewMemory, identity: bytes) -> None:
        """Let a person decide on what reads like identity or a rule."""
        record = ProposalRecord(
            namespace=new.namespace,
            fact=new.summary,
            subject="",
            tags=list(new.tags),
            client=self.source,
            session="",
            at=self.moment(found),
            state="waiting",
            decided_at=None,
            memory=None,
        )
        self.intake.counts["proposal"] += 1
        self.intake.ready.append(Prepared(0, record, new, identity))

    def store(self, found: Found, new: NewMemory, identity: bytes) -> None:
        """Let the rest be remembered: from now on, with the date that it has."""
        trust = INITIAL_TRUST[new.tier]
        record = MemoryRecord(
            id=self.intake.counts["draft"] + self.intake.counts["validated"] + 1,
            namespace=new.namespace,
            state="active",
            branch="",
            tier=new.tier,
            goal="",
            subject="",
            summary=new.summary,
            tags=list(new.tags),
            source=self.source,
            importance=new.importance,
            initial_trust=trust,
            trust=trust,
            consolidation=0.0,
            recall_count=0,
            strength=1.0,
            created_at=self.moment(found),
            reviewed_at=self.now,  # it fades from here
            state_at=self.now,
            state_cause="imported",
            state_reason="",
            superseded_by=None,
            supersedes=[],
        )
        self.intake.counts[new.tier] += 1
        self.intake.ready.append(Prepared(0, record, new, identity, text_columns(new, self.source)))

    def moment(self, found: Found) -> float:
        """Return when a statement was written, as far as the source says; never later than now."""
        return self.now if found.created_at is None else min(max(found.created_at, 0.0), self.now)
