"""`firmmem export` and `firmmem import`: everything remembered as JSON Lines, out and in again."""

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from firmmem.cli.core import open_for_reading
from firmmem.cli.pin import check_after
from firmmem.cli.terminal import Db, choose_file, fail, remark, say
from firmmem.text.normal_form import count_memories

if TYPE_CHECKING:
    from firmmem.memory.exchange.arriving import Imported
    from firmmem.settings import Settings
    from firmmem.store.statements import Connection

Out = Annotated[Path | None, typer.Argument(metavar="FILE", help="A new file; none prints to stdout.")]
Into = Annotated[Path, typer.Argument(metavar="FILE", help="An export; - reads stdin.")]
NAMES = (
    "server-memory", "hermes", "claude-code", "mem0", "mcp-memory-service", "basic-memory", "claude-ai", "chatgpt",
    "markdown", "csv",
)  # fmt: skip  # of firmmem.importers.kinds, which is imported only where it is needed
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


def import_(
    file: Into,
    kind: Annotated[
        str, typer.Option("--from", metavar="KIND", help=f"Another memory's: {', '.join(NAMES)}; none: an export.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would come in (with --from).")] = False,
    namespace: Only = "",
    db: Db = None,
) -> None:
    """Take in an export, or with --from what another memory kept: all or nothing, merged; core facts here stay."""
    settings, space = choose_file(db, namespace)
    if kind:
        from firmmem.cli.importing import take_in

        done = take_in(kind.strip().lower(), file, space, settings, dry_run=dry_run)
    elif dry_run:
        fail("--dry-run is for --from KIND: an export is taken in whole, or not at all.", 2)
    else:
        done = take_in_export(file, space if namespace or settings.namespace_lock else "", settings)
    if done and done.erased:
        them = "it" if done.erased == 1 else "them"
        say(f"{count_memories(done.erased)} left out, since a person erased {them} here.")
    if done and done.changed:
        check_after(settings)
        say(f"`firmmem undo {done.run_id}` takes it back.")


def take_in_export(file: Path, namespace: str, settings: "Settings") -> "Imported":
    """Take in what `firmmem export` wrote."""
    from firmmem.memory.exchange.import_ import import_file
    from firmmem.memory.rows.shelves import normalise_label

    wanted = normalise_label(namespace) if namespace else ""
    with open_export(file) as lines:
        refuse_others(file, lines)
        with hold_connection(settings) as connection, progress_bar("import") as progress:
            done = import_file(connection, lines, settings, time.time, namespace=wanted, progress=progress)
    if done.kept:
        say("\n".join(done.kept))
    say(
        f"{count_memories(done.new)} imported, {done.merged} merged with what was there; "
        f"core facts: {done.same} there already, {len(done.kept)} kept as they are."
    )
    return done


def refuse_others(path: Path, file: BinaryIO) -> None:
    """Name the command that takes a file which is no export."""
    begin = file.read(64)
    file.seek(0)
    if begin.startswith(b"SQLite format 3\0"):
        fail(
            f"{path} is a SQLite file: `firmmem backup restore {path}` takes a backup of FirmMem's, "
            f"`firmmem import --from hermes {path}` or --from mcp-memory-service another memory's."
        )
    if begin.startswith((b'{"type":"entity"', b'{"type":"relation"')):
        fail(f"{path} is of server-memory: `firmmem import --from server-memory {path}` takes it.")


@contextmanager
def hold_connection(settings: "Settings") -> Iterator["Connection"]:
    """Hold a connection that works for a person, in transactions of its user's."""
    from firmmem.store.file_errors import explain_file_errors
    from firmmem.store.opening import open_connection

    connection = open_connection(settings, by_person=True)
    try:
        with explain_file_errors(settings.db):
            yield connection
    finally:
        connection.close()


@contextmanager
def progress_bar(name: str) -> Iterator[Callable[[int, int], None]]:
    """Hold a bar on stderr that shows how far a command has come, if that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        step = bar.add_task(name, total=None)
        yield lambda done, of: bar.update(step, total=of, completed=done)


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
    """Hold an export open, so that it can be read twice."""
    if str(path) == "-":
        with tempfile.TemporaryFile() as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
            yield file
        return
    try:
        opened = path.open("rb")
    except OSError as error:
        fail(f"{path} can't be read: {error.strerror}.")
    with opened:
        yield opened
