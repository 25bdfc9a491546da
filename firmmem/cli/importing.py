"""`firmmem import --from KIND`: a preview, or the taking in of what another memory kept."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from firmmem.cli.core import open_for_reading
from firmmem.cli.exchange import hold_connection, progress_bar
from firmmem.cli.terminal import fail, remark, say
from firmmem.importers.intake import Intake, Reader
from firmmem.importers.kinds import KINDS, find_all
from firmmem.memory.exchange.import_ import import_prepared
from firmmem.memory.rows.shelves import normalise_label
from firmmem.settings import Settings

if TYPE_CHECKING:
    from firmmem.memory.exchange.arriving import Imported

FIRST = 5  # rows of a preview
TIERS = ("validated", "draft", "proposal")


def take_in(kind: str, path: Path, namespace: str, settings: Settings, *, dry_run: bool) -> "Imported | None":
    """Take in what a source holds, or only say what that would be; return what was done."""
    if kind not in KINDS:
        fail(f"there is no kind {kind!r}: name one of {', '.join(KINDS)}.", 2)
    path, space, now = path.expanduser(), normalise_label(namespace), time.time()
    if not path.exists():
        fail(f"{path} does not exist.")
    if settings.db.exists():
        with open_for_reading(settings) as connection:
            intake = Reader(connection, kind, space, settings, now=now).read(find_all(kind, path))
    else:
        intake = Reader(None, kind, space, settings, now=now).read(find_all(kind, path))
    report(intake, space, dry_run=dry_run)
    if dry_run or not intake.ready:
        return None
    with hold_connection(settings) as connection, progress_bar("import") as progress:
        return import_prepared(
            connection,
            lambda: intake.ready,
            len(intake.ready),
            intake.highest,
            settings,
            time.time,
            join=False,
            progress=progress,
        )


def report(intake: Intake, namespace: str, *, dry_run: bool) -> None:
    """Say what comes in, and what does not and why."""
    if dry_run and intake.ready:
        say("\n".join(intake.first(FIRST)))
        if len(intake.ready) > FIRST:
            say(f"… and {len(intake.ready) - FIRST} more")
    for line in intake.refused:
        remark(f"refused: {line}")
    counts = ", ".join(f"{intake.counts[tier]} {tier}{'s' * (tier == 'proposal')}" for tier in TIERS)
    say(
        f"{'Would come' if dry_run else 'Came'} into namespace {namespace!r}: {counts}; {intake.known} here already, "
        f"{intake.repeated} said twice, {len(intake.refused)} refused."
    )
    if intake.counts["proposal"] and not dry_run:
        say("What reads like identity or a rule waits for you: `firmmem core proposals`, `accept`, `refuse`.")
    if intake.crowded:
        say(f"{intake.crowded} more that read so came in as memories: enough proposals wait.")
