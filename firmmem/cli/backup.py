"""`firmmem backup` and `firmmem backup restore`: a checked copy of the file while agents write, and putting it back."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from firmmem.cli.terminal import EXPORT, Commands, Db, at_terminal, begins_with, choose_file, fail, say
from firmmem.text.normal_form import count_memories


class Backups(Commands):
    """Commands of which the first may be left out: `firmmem backup` and `firmmem backup FILE` make one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Name the command that is meant."""
        if not args or (args[0] not in self.commands and args[0] not in ("-h", "--help")):
            args = ["make", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=Backups, help="Copy the file while agents write, checked, and put a copy back.", rich_markup_mode=None
)


@app.command("make")
def make_command(
    to: Annotated[
        Path | None, typer.Argument(help="A new file; none is one beside the file, of which the newest are kept.")
    ] = None,
    db: Db = None,
) -> None:
    """Copy the file while agents write, and compare the copy with it (`firmmem backup` alone does so too)."""
    make(to, db)


def make(to: Path | None, db: Path | None) -> None:
    """Make a backup and say where it is."""
    from firmmem.store.backup import back_up

    settings, _ = choose_file(db, "")
    if not settings.db.exists():
        fail(f"there is nothing to back up: {settings.db} does not exist.")
    made = back_up(settings, to.expanduser().absolute() if to else None, now=time.time())
    say(f"{made.path}: {count_memories(made.memories)}, {made.bytes:,} bytes, checked")
    for old in made.rotated:
        say(f"removed {old}, an older one (FIRMMEM_BACKUPS_KEPT is {settings.backups_kept})")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    db: Db = None,
) -> None:
    """Put a backup in the file's place while no agent uses it; what it replaces is kept next to it."""
    from firmmem.store.backup import restore as put_back

    settings, _ = choose_file(db, "")
    if not file.expanduser().is_file():
        fail(f"there is no backup {file}.")
    if begins_with(file, EXPORT):
        fail(f"{file} is an export: `firmmem import {file}` takes it in; nothing was changed.", 2)
    if not yes:
        if not at_terminal():
            fail(f"there is nobody to ask whether {file} shall replace {settings.db}: add --yes.", 2)
        typer.confirm(f"Put {file} in the place of {settings.db}?", abort=True)
    count, kept = put_back(settings, file.expanduser().absolute(), now=time.time())
    say(f"{settings.db} has {count_memories(count)} from {file}.")
    if kept:
        say(f"What was there before is in {kept}.")
