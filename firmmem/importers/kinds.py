"""The kinds of sources by the names that `firmmem import --from` takes."""

from collections.abc import Callable, Iterator
from pathlib import Path

from firmmem.errors import InvalidArgumentError
from firmmem.importers import hermes, json_items, markdown, notes, server_memory, tables
from firmmem.importers.found import Found

KINDS: dict[str, Callable[[Path], Iterator[Found]]] = {
    "server-memory": server_memory.find_server_memory,
    "hermes": hermes.find_hermes,
    "claude-code": notes.find_claude_code,
    "mem0": json_items.find_items,
    "mcp-memory-service": tables.find_mcp_memory_service,
    "basic-memory": notes.find_basic_memory,
    "claude-ai": json_items.find_claude_ai,
    "chatgpt": json_items.find_chatgpt,
    "markdown": markdown.find_markdown,
    "csv": tables.find_csv,
}


def find_all(kind: str, path: Path) -> Iterator[Found]:
    """Yield what a source of a kind holds.

    Raises:
        InvalidArgumentError: It can't be read as that.
    """
    try:
        yield from KINDS[kind](path)
    except OSError as error:
        raise InvalidArgumentError(f"{error.filename or path} can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InvalidArgumentError(f"{path} can't be read: it is not UTF-8.") from None
