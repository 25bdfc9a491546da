"""`firmmem export` and `firmmem import`: everything remembered as JSON Lines, out and in again."""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from firmmem.cli.core import changing, reading
from firmmem.cli.terminal import Db, chosen, fail, remark, say
from firmmem.text.normal_form import memories

Out = Annotated[Path | None, typer.Argument(metavar="FILE", help="A new file; none prints to stdout.")]
Into = Annotated[Path, typer.Argument(metavar="FILE", help="An export; - reads stdin.")]
Only = Annotated[str, typer.Option("--namespace", "-n", help="This namespace alone.")]


def export(file: Out = None, namespace: Only = "", db: Db = None) -> None:
    """Write every memory with its votes, dates and history as JSON Lines; the same memories are the same bytes."""
    from firmmem.memory.exchange.export import exported
    from firmmem.memory.rows.shelves import label
    from firmmem.store.statements import transaction

    settings, space = chosen(db, namespace)
    if not settings.db.exists():
        fail(f"there is nothing to export: {settings.db} does not exist.")
    wanted = label(space) if namespace or settings.namespace_lock else ""
    digest, count = hashlib.sha256(), 0
    with reading(settings) as connection, transaction(connection, "BEGIN"), new_file(file) as out:
        for line in exported(connection, wanted):
            out.write(line)
            digest.update(line)
            count += line.startswith(b'{"type":"memory"')
    remark(f"{memories(count)} exported, sha256 {digest.hexdigest()}")


def import_(file: Into, namespace: Only = "", db: Db = None) -> None:
    """Take in an export, all of it or nothing; what is there already is merged, and core facts that are there stay."""
    from firmmem.memory.exchange.import_ import imported
    from firmmem.memory.rows.shelves import label

    settings, space = chosen(db, namespace)
    wanted = label(space) if namespace or settings.namespace_lock else ""
    with opened(file) as lines, changing(settings) as connection:
        done = imported(connection, lines, settings, namespace=wanted)
    if done.kept:
        say("\n".join(done.kept))
    say(
        f"{memories(done.new)} imported, {done.merged} merged with what was there; "
        f"core facts: {done.same} there already, {len(done.kept)} kept as they are."
    )


@contextmanager
def new_file(path: Path | None) -> Iterator[BinaryIO]:
    """Hold a new file that only its owner can read, on the disk once it is whole; stdout where no path is given."""
    if path is None or str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    except FileExistsError:
        fail(f"{path} is there already, and is kept: name a new file.")
    except OSError as error:
        fail(f"{path} can't be made: {error.strerror}.")
    try:
        with os.fdopen(descriptor, "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
    except BaseException:
        path.unlink(missing_ok=True)  # half an export is none
        raise


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Hold an export open."""
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        file = path.open("rb")
    except OSError as error:
        fail(f"{path} can't be read: {error.strerror}.")
    with file:
        yield file
