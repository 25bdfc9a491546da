"""`firmmem export` and `firmmem import`: everything remembered as JSON Lines, out and in again."""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from firmmem.cli.core import open_for_changes, open_for_reading
from firmmem.cli.terminal import Db, choose_file, fail, remark, say
from firmmem.text.normal_form import count_memories

Out = Annotated[Path | None, typer.Argument(metavar="FILE", help="A new file; none prints to stdout.")]
Into = Annotated[Path, typer.Argument(metavar="FILE", help="An export; - reads stdin.")]
Only = Annotated[str, typer.Option("--namespace", "-n", help="This namespace alone.")]


def export(
    file: Out = None,
    namespace: Only = "",
    skip_damaged: Annotated[
        bool, typer.Option("--skip-damaged", help="Leave out memories that are damaged, and name them.")
    ] = False,
    db: Db = None,
) -> None:
    """Write every memory with its votes, dates and history as JSON Lines; the same memories are the same bytes."""
    from firmmem.memory.exchange.export import Faults, export_lines
    from firmmem.memory.rows.shelves import normalise_label
    from firmmem.store.statements import transaction

    settings, space = choose_file(db, namespace)
    if not settings.db.exists():
        fail(f"there is nothing to export: {settings.db} does not exist.")
    wanted = normalise_label(space) if namespace or settings.namespace_lock else ""
    digest, count, faults = hashlib.sha256(), 0, Faults(skip_damaged)
    with open_for_reading(settings) as connection, transaction(connection, "BEGIN"), new_file(file) as out:
        for line in export_lines(connection, wanted, faults):
            out.write(line)
            digest.update(line)
            count += line.startswith(b'{"type":"memory"')
    remark(f"{count_memories(count)} exported, sha256 {digest.hexdigest()}")
    for ids, said in (
        (faults.altered, "altered in the file by something other than FirmMem: the text does not fit its hash"),
        (faults.damaged, "damaged, and left out"),
    ):
        if ids:
            remark(f"{', '.join(f'#{each}' for each in ids)}: {said}")


def import_(file: Into, namespace: Only = "", db: Db = None) -> None:
    """Take in an export, all of it or nothing, merged with what is there; core facts that are there stay."""
    from firmmem.memory.exchange.import_ import import_lines
    from firmmem.memory.rows.shelves import normalise_label

    settings, space = choose_file(db, namespace)
    wanted = normalise_label(space) if namespace or settings.namespace_lock else ""
    with open_export(file) as lines, open_for_changes(settings) as connection:
        done = import_lines(connection, lines, settings, namespace=wanted)
    if done.kept:
        say("\n".join(done.kept))
    say(
        f"{count_memories(done.new)} imported, {done.merged} merged with what was there; "
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
def open_export(path: Path) -> Iterator[BinaryIO]:
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
