"""A record of an export is made ready to be stored while nobody waits: its text cleaned, checked and segmented."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from firmmem.contract import NewMemory
from firmmem.errors import FirmMemError, InvalidArgumentError
from firmmem.memory.exchange.merge import as_stored_text
from firmmem.memory.exchange.read_lines import Told
from firmmem.memory.exchange.record import MemoryRecord, ProposalRecord
from firmmem.memory.rows.shelves import memory_identity, normalise_label
from firmmem.memory.write.annotate import index_words, is_suspect
from firmmem.memory.write.write import check_memory
from firmmem.settings import Settings


@dataclass(frozen=True)
class Prepared:
    """A record, and what is stored of it that follows from its text alone."""

    number: int  # of its line
    record: Told
    stored: NewMemory  # a goal has nothing of it
    identity: bytes = b""
    columns: Mapping[str, Any] = field(default_factory=dict)


def prepare(records: Iterable[tuple[int, Told]], settings: Settings, namespace: str) -> Iterator[Prepared]:
    """Yield records as they are stored; `namespace` refuses what belongs to another one.

    Raises:
        InvalidArgumentError: One can't be stored; its line is named.
    """
    seen: set[int] = set()
    for number, record in records:
        try:
            if isinstance(record, MemoryRecord):
                if record.id in seen:
                    raise InvalidArgumentError("its id is that of another memory in this export.")
                seen.add(record.id)
            yield prepare_one(number, record, settings, namespace)
        except FirmMemError as error:
            raise InvalidArgumentError(f"line {number}: {error} Nothing was imported.") from error


def prepare_one(number: int, record: Told, settings: Settings, namespace: str) -> Prepared:
    """Return one record as it is stored."""
    if namespace and normalise_label(record.namespace) != namespace:
        raise InvalidArgumentError(f"it belongs to another namespace than {namespace!r}.")
    match record:
        case MemoryRecord(state="erased"):  # it has no text
            return Prepared(number, record, NewMemory("", record.tier, normalise_label(record.namespace)))
        case MemoryRecord():
            new = as_stored_text(record, settings)
            return Prepared(
                number,
                record,
                new,
                memory_identity(new.namespace, new.branch, new.summary),
                text_columns(new, record.source),
            )
        case ProposalRecord():
            fact = NewMemory(record.fact, "core", record.namespace, subject=record.subject, tags=tuple(record.tags))
            new = check_memory(fact, settings)
            return Prepared(number, record, new, memory_identity(new.namespace, "", new.summary))
        case _:
            return Prepared(number, record, NewMemory("", "draft", record.namespace))


def text_columns(new: NewMemory, source: str) -> dict[str, Any]:
    """Return the columns of a memory that follow from its text and labels."""
    words = index_words(new.summary, new.subject, new.tags)
    return {
        "subject": new.subject,
        "summary": new.summary,
        "tags": json.dumps(new.tags, ensure_ascii=False),
        "suspect": int(is_suspect(new, source)),
        "words": words.words,
        "repeated": words.repeated,
        "length": words.length,
    }
