"""An empty namespace: its name, the file that was looked in, and the namespaces that do hold memories."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from firmmem.contract import Elsewhere, Question
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    from firmmem.settings import Settings

NAMED = 6  # namespaces that are named


def look_elsewhere(connection: Connection, question: Question, settings: Settings) -> Elsewhere | None:
    """Return where memories are, if the question's namespace holds none; a locked process hears of no others."""
    found = fetch(connection, "namespaces")
    if any(row["namespace"] == question.namespace for row in found):
        return None
    others = {row["namespace"]: row["active"] for row in found}
    if not others or settings.namespace_lock:
        return None
    near = difflib.get_close_matches(question.namespace.casefold(), [each.casefold() for each in others], NAMED, 0.7)
    ranked = sorted(others, key=lambda name: near.index(name.casefold()) if name.casefold() in near else NAMED)
    shown = {name: others[name] for name in ranked[:NAMED]}
    return Elsewhere(question.namespace, str(connection.path or settings.db), shown, len(others) - len(shown))
