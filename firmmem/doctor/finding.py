"""What a check found."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "warning", "wrong"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: `wrong` needs someone, `warning` may, the others are told for the record."""

    check: str
    level: Level
    said: str
