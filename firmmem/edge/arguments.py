"""Understands what clients and models really send: `"50"`, `"a,b"`, `"#12"`, `null`, `memoryIds`.

Tools keep plain signatures, and so plain schemas. What arrives passes through `understand` first, which knows
every argument by its name and says in a note what it had to change.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from firmmem.edge import argument_kinds
from firmmem.edge.argument_kinds import BLANK, NoNumberError, Note, format_value, parse_json
from firmmem.edge.argument_names import rename_arguments
from firmmem.errors import InvalidArgumentError

MOST_RESULTS = 100  # a longer list no longer fits into the largest token budget
LEAST_TOKENS = 50  # about one memory
MOST_TOKENS = 20_000  # a tenth of a large model's context


@dataclass(frozen=True)
class Kind:
    """How an argument is read, and what to send where it can't be."""

    read: Callable[[object, Note], object]
    send: str


def read_arguments(arguments: object, schema: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments as the tool's `schema` wants them, and notes on what was changed or ignored.

    What isn't given is left out, so that the tool's own default holds.

    Raises:
        InvalidArgumentError: one sentence that names every argument that is wrong, and what to send instead.
    """
    properties: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
    clean: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    notes: list[str] = []
    for name, value in rename_arguments(_unwrap(arguments), properties, notes).items():
        kind = KINDS.get(name, _ANYTHING)
        try:
            read = kind.read(value, _about(name, notes))
        except NoNumberError:
            used = properties[name].get("default")
            notes.append(f"{name} '{format_value(value)}' is not a number, {used} was used")
        except (ValueError, OverflowError, RecursionError):
            wrong[name] = f"{kind.send}, not '{format_value(value)}'"
        else:
            clean |= {} if read is None else {name: read}
    for name in schema.get("required", ()):
        if name not in clean:
            wrong.setdefault(name, KINDS.get(name, _ANYTHING).send)
    if wrong:
        raise InvalidArgumentError(_refusal(wrong, notes))
    return clean, notes


def _about(name: str, notes: list[str]) -> Note:
    return lambda told: notes.append(f"{name} {told}")


def _unwrap(arguments: object) -> Mapping[str, object]:
    """Return the arguments as a mapping: none at all, a JSON string and a wrapper too many are common."""
    if arguments is None or (isinstance(arguments, str) and arguments.strip().lower() in BLANK):
        return {}
    opened = parse_json(arguments) if isinstance(arguments, str) else arguments
    match opened:
        case {"arguments": Mapping() as inner, **others} if not others:
            return inner
        case Mapping():
            return opened
    raise InvalidArgumentError('Send the arguments as one object, such as {"query": "…"}.')


def _refusal(wrong: Mapping[str, str], notes: Iterable[str]) -> str:
    refusal = "; ".join([*(f"{name}: {send}" for name, send in wrong.items()), *notes])
    return f"Send {refusal}" + ("" if refusal.endswith("?") else ".")


_IDS = "ids as recall shows them, such as [12, 15]"
_DATE = 'a date such as "2026-01-31", or ""'
_ANYTHING = Kind(lambda value, _: value, "any value")
_FLAG = "true or false"
_NAME = "one short name, or nothing"

# An argument has the same kind in every tool that takes it, so its name is enough.
KINDS: Mapping[str, Kind] = {
    "fact": Kind(argument_kinds.required_text, "the fact, as one statement"),
    "summary": Kind(argument_kinds.required_text, "what to remember, as one statement"),
    "query": Kind(argument_kinds.text, "the words to look for"),
    "note": Kind(argument_kinds.text, "a text"),
    "reason": Kind(argument_kinds.text, "a text"),
    "goal_id": Kind(argument_kinds.word, "the short name of the goal"),
    "subject": Kind(argument_kinds.word, _NAME),
    "branch": Kind(argument_kinds.word, _NAME),
    "namespace": Kind(argument_kinds.word, _NAME),
    "since": Kind(argument_kinds.word, _DATE),
    "until": Kind(argument_kinds.word, _DATE),
    "tags": Kind(argument_kinds.words, 'a list of short labels, such as ["work"]'),
    "tiers": Kind(argument_kinds.tiers, "a list of core, strategic, validated, draft"),
    "memory_ids": Kind(argument_kinds.ids, _IDS),
    "supersedes": Kind(argument_kinds.ids, _IDS),
    "outcome": Kind(argument_kinds.outcome, "positive, negative or verified"),
    "verified": Kind(argument_kinds.flag, _FLAG),
    "include_archived": Kind(argument_kinds.flag, _FLAG),
    "explain": Kind(argument_kinds.flag, _FLAG),
    "restore": Kind(argument_kinds.flag, _FLAG),
    "importance": Kind(argument_kinds.fraction, "a number from 0 to 1"),
    "limit": Kind(argument_kinds.whole(1, MOST_RESULTS), f"a whole number from 1 to {MOST_RESULTS}"),
    "token_budget": Kind(
        argument_kinds.whole(LEAST_TOKENS, MOST_TOKENS), f"a whole number from {LEAST_TOKENS} to {MOST_TOKENS}"
    ),
}
