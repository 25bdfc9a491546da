"""The knowledge graph of @modelcontextprotocol/server-memory: JSON lines of entities and relations."""

import json
from collections.abc import Iterator
from pathlib import Path

from firmmem.importers.found import Found


def find_server_memory(path: Path) -> Iterator[Found]:
    """Yield each observation with the name of its entity, and each relation as a sentence."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield from read_line(line, f"line {number}")


def read_line(line: bytes, place: str) -> Iterator[Found]:
    """Yield what one line says; one that says nothing is refused with its number."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    match value:
        case {"type": "entity", "name": str(name), "observations": [*observations]}:
            kind = str(value.get("entityType", ""))
            for observation in observations:
                text = str(observation)
                known = name.casefold() in text.casefold() or name in ("default_user", "user")
                tags = tuple(filter(None, (kind, name)))
                yield Found(place, text if known else f"{name}: {text}", tags, bare=text)
        case {"type": "relation", "from": str(one), "to": str(other), "relationType": str(kind)}:
            yield Found(place, f"{one} {kind.replace('_', ' ')} {other}", (one, other))
        case _:
            yield Found(place, "")
