"""The lines of an export, read and checked: whole, unaltered, each a record of a kind that is known."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from firmmem.errors import InvalidArgumentError
from firmmem.memory.exchange.record import ARRIVING, FORMAT, GoalRecord, MemoryRecord, ProposalRecord, SessionRecord

HIGHEST = 2**38  # an id that an import gives; the search index has room below 2**40, for all that is written after it
MEMORY = re.compile(rb'\{"type":"memory","id":(\d{1,18}),')  # how a memory's line begins as export writes it
Told = GoalRecord | SessionRecord | MemoryRecord | ProposalRecord
KINDS: dict[str, type[Told]] = {
    "goal": GoalRecord,
    "session": SessionRecord,
    "memory": MemoryRecord,
    "proposal": ProposalRecord,
}


def read_records(lines: Iterable[bytes]) -> Iterator[tuple[int, Told]]:
    """Yield the records of an export, each with the number of its line; the last line is checked after them.

    Raises:
        InvalidArgumentError: A line is none of an export, or the file is cut short or altered; the line is named,
            never its content.
    """
    digest, count, whole = hashlib.sha256(), 0, False
    for number, line in enumerate(lines, 1):
        if whole and line.strip():
            raise InvalidArgumentError(f"line {number} comes after the export's end; nothing was imported.")
        if whole:
            continue
        value = parse_line(line, number)
        if number == 1:
            check_header(value)
        elif value.get("type") == "end":
            check_end(value, count, digest, number)
            whole = True
        else:
            yield number, build_record(value.get("type"), line, number)
            count += 1
        digest.update(line)
    if not whole:
        raise InvalidArgumentError("The file is cut short: its last line is missing; nothing was imported.")


def measure_export(lines: Iterable[bytes]) -> tuple[int, int]:
    """Return how many records an export has, and the highest id of a memory; faults are found when it is read.

    Raises:
        InvalidArgumentError: An id is too high.
    """
    count, highest = 0, 0
    for number, line in enumerate(lines, 1):
        count = number
        found = MEMORY.match(line)
        given = int(found[1]) if found else id_on(line)
        if given > HIGHEST:
            raise InvalidArgumentError(
                f"line {number}: its id is too high to be one of FirmMem's; nothing was imported."
            )
        highest = max(highest, given)
    return max(0, count - 2), highest


def id_on(line: bytes) -> int:
    """Return the id on a line that is not written as export writes it; 0 where there is none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return 0
    given = value.get("id") if isinstance(value, dict) else None
    return given if isinstance(given, int) else 0


def check_end(value: dict[str, Any], count: int, digest: Any, number: int) -> None:
    """Refuse an export whose last line is not that of the lines before it."""
    if (value.get("records"), value.get("sha256")) != (count, digest.hexdigest()):
        raise InvalidArgumentError(f"line {number}: the file was altered; nothing was imported.")


def parse_line(line: bytes, number: int) -> dict[str, Any]:
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


def build_record(kind: object, line: bytes, number: int) -> Told:
    """Return the record on a line."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidArgumentError(f"line {number}: {kind!r} is no kind of record; nothing was imported.")
    try:
        return KINDS[kind].model_validate_json(line, context=ARRIVING)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise InvalidArgumentError(f"line {number}: {where}: {fault['msg']}; nothing was imported.") from None
