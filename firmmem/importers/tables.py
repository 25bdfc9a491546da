"""Tables of other programs' SQLite files, and of CSV files, row by row."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from firmmem.errors import InvalidArgumentError
from firmmem.importers.found import Found, parse_time
from firmmem.importers.json_items import TEXTS, find_items, read_item
from firmmem.store.sqlite import Error, connect


def is_sqlite(file: Path) -> bool:
    """Return whether a file is one of SQLite's."""
    with file.open("rb") as opened:
        return opened.read(16) == b"SQLite format 3\0"


def rows_of(file: Path, table: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table, of a file that is not changed.

    Raises:
        InvalidArgumentError: The file has no such table, or can't be read.
    """
    connection = connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
    try:
        cursor = connection.execute(f'SELECT * FROM "{table}" ORDER BY rowid')  # noqa: S608 - a name of ours
        names = [column[0] for column in cursor.description]
        for row in cursor:
            yield dict(zip(names, row, strict=True))
    except Error as error:
        raise InvalidArgumentError(f"{file} can't be read as that: {error}; nothing was imported.") from None
    finally:
        connection.close()


def find_mcp_memory_service(path: Path) -> Iterator[Found]:
    """Yield the memories of mcp-memory-service, from its SQLite file or its JSON export."""
    if not is_sqlite(path):
        yield from find_items(path)
        return
    for row in rows_of(path, "memories"):
        if row.get("deleted_at") is None and row.get("superseded_by") is None:
            yield read_item(row, f"memory {row.get('id')}", confirmed=False)


def find_csv(path: Path) -> Iterator[Found]:
    """Yield the rows of a CSV file with a column that holds the text.

    Raises:
        InvalidArgumentError: No column has a name that says so.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        names = {(name or "").strip().lower(): name for name in rows.fieldnames or ()}
        if not any(name in names for name in TEXTS):
            raise InvalidArgumentError(f"{path} has no column named {', '.join(TEXTS)}; nothing was imported.")
        for row in rows:
            plain = {name: as_number(row.get(column)) for name, column in names.items()}
            found = read_item(plain, f"line {rows.line_num}", confirmed=True)
            yield found


def as_number(value: object) -> object:
    """Return a cell as a number where it is a moment in seconds, so that it is read as one."""
    text = str(value or "").strip()
    return float(text) if text.isdigit() and len(text) in (10, 13) and parse_time(float(text)) else value or ""
