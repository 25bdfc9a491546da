"""The functions that SQL calls: of `scoring`, of subjects, and those of `math` that a SQLite was built without."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from firmmem import scoring
from firmmem.store.statements import Connection
from firmmem.text.subjects import subject_key

if TYPE_CHECKING:
    from firmmem.settings import Settings


def register_functions(connection: Connection, settings: Settings, *, by_person: bool) -> None:
    """Register the functions that SQL calls, and those of `math` that this SQLite was built without."""
    bases = base_half_lives(settings)

    def effective_half_life(tier: str, consolidation: float, recall_count: float) -> float:
        return scoring.effective_half_life(bases[tier], consolidation, recall_count, settings.consolidation_base)

    functions: dict[str, tuple[int, Callable[..., Any]]] = {
        **scoring.SQL_FUNCTIONS,
        "effective_half_life": (3, effective_half_life),
        "by_person": (0, lambda: int(by_person)),
        "subject_key": (1, subject_key),
        "contradicts": (2, contradicts),
    }
    for name, arity, function in (("exp", 1, math.exp), ("ln", 1, math.log), ("pow", 2, math.pow)):
        if not has_function(connection, name):
            functions[name] = (arity, function)
    for name, (arity, function) in functions.items():
        connection.create_function(name, arity, null_for_no_number(function), deterministic=True)


def base_half_lives(settings: Settings) -> dict[str, float]:
    """Return the base half-life of each tier in days; core never fades."""
    return {
        "core": math.inf,
        "strategic": settings.strategic_half_life,
        "validated": settings.validated_half_life,
        "draft": settings.draft_half_life,
    }


def has_function(connection: Connection, name: str) -> bool:
    """Return whether the library brings the SQL function `name`."""
    return bool(connection.execute("SELECT 1 FROM pragma_function_list WHERE name = ?", (name,)).fetchone())


def null_for_no_number(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` giving NULL for what is no number, where SQLite would stop the whole statement."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (TypeError, ValueError, ArithmeticError, LookupError):
            return None

    return call


def contradicts(older: str, newer: str) -> int:
    """Return whether a statement contradicts an older one; only a migration calls it."""
    from firmmem.text.contradictions import contradicts as compare  # a start has no use for it

    return int(compare(older, newer))
