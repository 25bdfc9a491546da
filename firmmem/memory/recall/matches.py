"""What a clause's words find: memories with their relevance, before meaning and the prior have their part."""

from dataclasses import dataclass
from typing import NamedTuple


class Match(NamedTuple):
    """A memory that matches: its relevance in 0..1, lifted by its context, and that of its own words alone."""

    id: int
    relevance: float
    own: float


@dataclass(frozen=True)
class Matched:
    """The most relevant of what matches, in no order; how many match; and what the best covers of what was asked.

    `best` is BM25 without what is not asked for: the words of dates that only narrow.
    """

    matches: list[Match]
    count: int
    best: float
