"""What each setting may be, in words: for the sentence on a wrong value and for `.env.example`."""

from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from annotated_types import Ge, Gt, Le, Lt, MaxLen

from firmmem.settings import Settings


def describe_allowed(field: str) -> str:
    """Return what a field of `Settings` may be, in a few words."""
    info = Settings.model_fields[field]
    if info.annotation is bool:
        return "true or false"
    if info.annotation is Path:
        return "a path"
    if info.annotation in (int, float):
        return describe_range(info.metadata, "a whole number" if info.annotation is int else "a number")
    if choices := get_args(info.annotation):
        return " or ".join([", ".join(choices[:-1]), choices[-1]])
    said = [note for note in info.metadata if isinstance(note, str)]  # the annotation's own words
    longest = [
        f"a name of at most {limit.max_length} characters" for limit in info.metadata if isinstance(limit, MaxLen)
    ]
    return [*said, *longest][0]


def describe_range(limits: Iterable[object], kind: str) -> str:
    """Return the range that a number must be in."""
    said = {Ge: "from {}", Gt: "above {}", Le: "to {}", Lt: "below {}"}
    words = [kind]
    for limit in limits:
        for bound, phrase in said.items():
            if isinstance(limit, bound):
                words.append(phrase.format(f"{getattr(limit, bound.__name__.lower()):,.10g}"))
    return " ".join(words).replace(" below", " and below")
