"""Three months of a user with FirmMem, in English and Chinese, in minutes: a story whose every check must hold.

    python scripts/live.py                prints each check, and fails where one does not hold
    python scripts/live.py --failed       prints only those that do not

Agents' sessions are real servers in this process on one real file, with a clock that is turned by hand, and upkeep
at every turn of a day. Chapters are in scripts/living/; its story.py says how to add one.
"""

import logging
import tempfile
from pathlib import Path
from typing import Annotated

import anyio
import typer
from living.story import Check, tell


def main(
    failed: Annotated[bool, typer.Option("--failed", help="Print only the checks that do not hold.")] = False,
) -> None:
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory(prefix="firmmem-story-") as folder:
        checks = anyio.run(tell, Path(folder))
    print("\n".join(map(line, [check for check in checks if not (failed and check.held)])))
    broken = [check for check in checks if not check.held]
    print(f"{len(checks)} checks, {len(broken)} of them do not hold")
    raise typer.Exit(bool(broken))


def line(check: Check) -> str:
    """Return a check as a line, and below it what was said where it does not hold."""
    told = f"day {check.day:>2}  {'holds ' if check.held else 'FAILED'}  {check.title}"
    return told if check.held else "\n".join([told, *(f"          {each}" for each in check.said.splitlines())])


if __name__ == "__main__":
    typer.run(main)
