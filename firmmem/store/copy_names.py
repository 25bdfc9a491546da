"""Names of copies next to a file: backups, what was replaced or rescued, each with the second it was made in."""

import re
import time
from pathlib import Path

STAMP = r"\.(?P<second>\d{8}T\d{6}Z)(?:-(?P<number>\d+))?"
KINDS = ("backup", "rescued", "replaced", "restored")


def new_copy_name(path: Path, kind: str, now: float | None = None) -> Path:
    """Return a name next to a file that nothing has yet, and that sorts after those of the same second."""
    second = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    taken = [order[1] for order, _ in list_copies(path, kind) if order[0] == second]
    number = f"-{max(taken) + 1}" if taken else ""
    return Path(f"{path}.{second}{number}.{kind}")


def list_copies(path: Path, kind: str) -> list[tuple[tuple[str, int], Path]]:
    """Return the copies of a file next to it, oldest first, each with its second and its number in it."""
    named = re.compile(rf"{re.escape(path.name)}{STAMP}\.{kind}")
    found = [(named.fullmatch(each.name), each) for each in path.parent.iterdir()] if path.parent.is_dir() else []
    return sorted(((name["second"], int(name["number"] or 0)), each) for name, each in found if name)
