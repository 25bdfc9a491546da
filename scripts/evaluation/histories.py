"""Histories of use: which items a repository's commits touch, day by day.

A history is a file of tab-separated time, commit, status and path. An item is a path, an access a commit that touches
it, a session a UTC day. Commits of more than `LARGE` files are dropped.
"""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from evaluation.sets import DAY

LARGE = 30  # files: a commit of more is a sweep over the repository, which tells of no use


@dataclass(frozen=True)
class Session:
    """One day: when it begins, what can be ranked, what of it is used, and every access in its order."""

    begins_at: float
    candidates: tuple[str, ...]
    gold: frozenset[str]
    accesses: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class History:
    """A repository's active days."""

    name: str
    sessions: tuple[Session, ...]


def read(file: Path) -> History:
    """Read a history and lay out its days."""
    present: dict[str, bool] = {}
    sessions = []
    for day, commits in groupby(commits_of(file), key=lambda commit: int(commit[0] // DAY)):
        candidates = tuple(path for path, there in present.items() if there)
        accesses = []
        for at, changes in commits:
            for status, path in changes:
                accesses.append((path, at))
                present[path] = status != "D"
        gold = frozenset(path for path, _ in accesses).intersection(candidates)
        sessions.append(Session(day * DAY, candidates, gold, tuple(accesses)))
    return History(file.stem, tuple(sessions))


def commits_of(file: Path) -> list[tuple[float, list[tuple[str, str]]]]:
    """Return time and (status, path)s of each commit, by time."""
    commits: dict[str, tuple[float, list[tuple[str, str]]]] = {}
    for line in filter(None, file.read_text(encoding="utf-8").split("\n")):
        time, commit, status, path = line.split("\t", 3)
        commits.setdefault(commit, (float(time), []))[1].append((status, path))
    return sorted((commit for commit in commits.values() if len(commit[1]) <= LARGE), key=lambda commit: commit[0])
