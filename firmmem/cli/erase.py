"""`firmmem erase`: a person takes memories out of the file, its backups and exports, for good."""

import os
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firmmem.cli.core import open_for_reading, require_file
from firmmem.cli.memories import parse_ids
from firmmem.cli.terminal import Db, Json, Namespace, Yes, at_terminal, choose_file, fail, say, say_json
from firmmem.text.normal_form import count_memories, to_one_line

if TYPE_CHECKING:
    from firmmem.memory.hand.erase import Target
    from firmmem.settings import Settings

LARGE = 200_000_000  # bytes of a file that takes more than a moment to rewrite


def erase(
    memory_ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Numbers as `firmmem list` shows them.")
    ] = None,
    history: Annotated[bool, typer.Option("--history", help="With all that these memories superseded.")] = False,
    also: Annotated[
        list[Path] | None, typer.Option("--also", help="Another backup or export to erase it in; may be given again.")
    ] = None,
    keep_backups: Annotated[
        bool, typer.Option("--keep-backups", help="Leave the backups next to the file alone.")
    ] = False,
    finish: Annotated[bool, typer.Option("--finish", help="Finish an erasure that was interrupted.")] = False,
    yes: Yes = False,
    as_json: Json = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Erase memories for good: text, history, notes, index, vectors, also in backups; nothing brings them back."""
    from firmmem.memory.hand.erase import find_targets
    from firmmem.memory.hand.erase_copies import find_copies, is_database

    settings, space = choose_file(db, namespace)
    require_file(settings)
    if finish:
        say(finish_work(settings))
        return
    numbers = parse_ids(memory_ids or ())
    if not numbers:
        fail("nothing to erase: give the ids of memories, as `firmmem list` shows them.", 2)
    path = Path(os.path.realpath(settings.db))
    with open_for_reading(settings) as connection:
        targets = find_targets(connection, numbers, namespace=space, history=history)
    beside = [] if keep_backups else find_copies(path)
    copies = [*beside, *(each.expanduser().absolute() for each in also or ())]
    for each in copies:
        is_database(each)  # what can't be read is found before anything is erased
    if not yes:
        ask(settings, targets, copies)
    held = erase_everywhere(settings, targets, copies)
    left = leftovers(path, targets, find_copies(path) if keep_backups else [])
    if as_json:
        told = {"erased": [each.id for each in targets], "copies": [str(each) for each in held]}
        say_json(told | {"still_in": [str(each) for each in left]})
        return
    say(f"{count_memories(len(targets))} erased: {', '.join(f'#{each.id}' for each in targets)}.")
    for each in held:
        say(f"Erased in {each} too.")
    for each in left:
        say(f"The same words are still in {each}: other memories may say them (firmmem list WORDS --state all).")


def ask(settings: "Settings", targets: "Sequence[Target]", copies: Sequence[Path]) -> None:
    """Show what will be erased, and ask."""
    if not at_terminal():
        fail(f"there is nobody to ask whether to erase {count_memories(len(targets))} for good: add --yes.", 2)
    say("\n".join(f"#{each.id} {to_one_line(each.summary)}" for each in targets))
    if copies:
        say(f"Also where it is in: {', '.join(map(str, copies))}")
    if settings.db.stat().st_size > LARGE:
        say("The file is rewritten whole: agents can't write meanwhile, for some seconds a gigabyte.")
    typer.confirm("Erase this for good? No command brings it back.", abort=True)


def erase_everywhere(settings: "Settings", targets: "Sequence[Target]", copies: Sequence[Path]) -> list[Path]:
    """Erase in the copies first, while the file still says what to look for; return those that held something."""
    from firmmem.memory.hand.erase import erase_targets
    from firmmem.memory.hand.erase_copies import erase_in_copy
    from firmmem.store.file_errors import explain_file_errors
    from firmmem.store.opening import open_connection

    now = time.time()
    held = [each for each in copies if erase_in_copy(each, targets, settings, now=now)]
    with closing(open_connection(settings, by_person=True)) as connection, explain_file_errors(settings.db):
        erase_targets(connection, targets, now=now)
    return held


def finish_work(settings: "Settings") -> str:
    """Take out what an interrupted erasure left, and return what was done."""
    from firmmem.memory.hand.erase import finish_erasures
    from firmmem.memory.hand.erase_copies import remove_leftovers
    from firmmem.store.file_errors import explain_file_errors
    from firmmem.store.opening import open_connection

    remove_leftovers(Path(os.path.realpath(settings.db)))
    with closing(open_connection(settings, by_person=True)) as connection, explain_file_errors(settings.db):
        count = finish_erasures(connection, now=time.time())
    return f"{count_memories(count)} erased to the last byte." if count else "Every erasure is finished."


def leftovers(path: Path, targets: "Sequence[Target]", kept: Sequence[Path]) -> list[Path]:
    """Return the files that still have the text of what was erased in their bytes."""
    from firmmem.store.erasing import COMPANIONS, files_that_hold

    files = [*(Path(f"{path}{ending}") for ending in COMPANIONS), *kept]
    return list(dict.fromkeys(each for target in targets for each in files_that_hold(files, target.summary)))
