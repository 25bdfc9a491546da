"""The lines of an export, read and checked: whole, unaltered, each a record of a kind that is known."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from firmmem.errors import InvalidArgumentError
from firmmem.memory.exchange.record import ARRIVING, FORMAT, GoalRecord, MemoryRecord, ProposalRecord, SessionRecord

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
            if (value.get("records"), value.get("sha256")) != (count, digest.hexdigest()):
                raise InvalidArgumentError(f"line {number}: the file was altered; nothing was imported.")
            whole = True
        else:
            yield number, build_record(value.get("type"), line, number)
            count += 1
        digest.update(line)
    if not whole:
        raise InvalidArgumentError("The file is cut short: its last line is missing; nothing was imported.")


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
