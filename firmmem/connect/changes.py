"""Changes of a configuration, whatever its format: what is to be set, added, removed, and what takes it back."""

from collections.abc import Callable, Iterable, MutableMapping, MutableSequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from firmmem.errors import InvalidArgumentError

Keys = tuple[str, ...]


@dataclass(frozen=True)
class Set:
    """A value at a path of keys; the mappings above it are made where they lack."""

    path: Keys
    value: Any


@dataclass(frozen=True)
class Add:
    """An item of a list at a path; the list is made where it lacks."""

    path: Keys
    item: Any


@dataclass(frozen=True)
class Remove:
    """A key that goes, and with it as many mappings above it as are empty then, `prune` at most."""

    path: Keys
    prune: int = 0


@dataclass(frozen=True)
class Drop:
    """An item of a list that goes; an empty list and what is above it go as `prune` allows."""

    path: Keys
    item: Any
    prune: int = 0


Change = Set | Add | Remove | Drop
KINDS: dict[str, type[Change]] = {"set": Set, "add": Add, "remove": Remove, "drop": Drop}


def value_at(root: Any, path: Keys) -> Any:
    """Return what is at a path; None where nothing is."""
    for key in path:
        if not isinstance(root, MutableMapping) or key not in root:
            return None
        root = root[key]
    return root


def depth(root: Any, path: Keys) -> int:
    """Return how many keys of a path are there."""
    for number, key in enumerate(path):
        if not isinstance(root, MutableMapping) or key not in root:
            return number
        root = root[key]
    return len(path)


def effective(root: Any, changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return the changes that change something."""
    return tuple(change for change in changes if not holds(root, change))


def holds(root: Any, change: Change) -> bool:
    """Return whether a configuration is already as a change would make it."""
    there = depth(root, change.path) == len(change.path)
    match change:
        case Set():
            return there and bool(value_at(root, change.path) == change.value)
        case Add():
            return there and change.item in list_at(root, change.path)
        case Remove():
            return not there
        case Drop():
            return not there or change.item not in list_at(root, change.path)


def apply(root: Any, change: Change, table: Callable[[], Any] = dict) -> None:
    """Make a change in mappings and lists of any library; `table` makes a mapping that lacks."""
    match change:
        case Set():
            put(parent_of(root, change.path, table), change.path[-1], change.value)
        case Add():
            parent = parent_of(root, change.path, table)
            if change.path[-1] in parent:
                list_at(root, change.path).append(change.item)
            else:
                parent[change.path[-1]] = [change.item]
        case Remove():
            remove(root, change.path, change.prune)
        case Drop():
            items = list_at(root, change.path)
            items.remove(change.item)
            if not items and change.prune:
                remove(root, change.path, change.prune - 1)


def put(mapping: Any, key: str, value: Any) -> None:
    """Give a key this value; of a mapping that is there, what is equal stays as it is written."""
    there = mapping.get(key)
    if not (isinstance(there, MutableMapping) and isinstance(value, dict)):
        mapping[key] = value
        return
    for name in [name for name in there if name not in value]:
        del there[name]
    for name, part in value.items():
        if name not in there or there[name] != part:
            put(there, name, part)


def parent_of(root: Any, path: Keys, table: Callable[[], Any]) -> Any:
    """Return the mapping that holds the last key of a path, made where it lacks.

    Raises:
        InvalidArgumentError: Something else than a mapping is in the way.
    """
    for number, key in enumerate(path[:-1], start=1):
        if root.get(key) is None:  # YAML's key without a value
            root[key] = table()
        root = root[key]
        if not isinstance(root, MutableMapping):
            raise InvalidArgumentError(f"`{'.'.join(path[:number])}` holds no keys of its own.")
    return root


def list_at(root: Any, path: Keys) -> MutableSequence[Any]:
    """Return the list at a path.

    Raises:
        InvalidArgumentError: It is none.
    """
    items = value_at(root, path)
    if not isinstance(items, MutableSequence):
        raise InvalidArgumentError(f"`{'.'.join(path)}` is no list.")
    return items


def remove(root: Any, path: Keys, prune: int) -> None:
    """Remove a key, and the mappings above it that are empty then."""
    parents = [root]
    for key in path[:-1]:
        parents.append(parents[-1][key])
    for parent, key in zip(reversed(parents), reversed(path), strict=True):
        del parent[key]
        if parent or not prune:
            return
        prune -= 1


def inverse(root: Any, changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return what takes changes back that are made in this configuration, in the order in which it is done."""
    now, back = deepcopy(root), []
    for change in changes:
        back.append(inverse_of(now, change))
        apply(now, change)
    return tuple(reversed(back))


def inverse_of(root: Any, change: Change) -> Change:
    """Return what takes one change back."""
    known = depth(root, change.path)
    made = len(change.path) - known
    if made and known and value_at(root, change.path[:known]) is None and isinstance(change, Set | Add):
        return Set(change.path[:known], None)
    match change:
        case Set():
            return Remove(change.path, made - 1) if made else Set(change.path, deepcopy(value_at(root, change.path)))
        case Add():
            return Drop(change.path, change.item, made)
        case Remove():
            return Set(change.path, deepcopy(value_at(root, change.path)))
        case Drop():
            return Add(change.path, change.item)


def with_changes(root: Any, changes: Iterable[Change]) -> Any:
    """Return a copy of plain values with the changes made."""
    new = deepcopy(root)
    for change in changes:
        apply(new, change)
    return new


def as_plain(change: Change) -> dict[str, Any]:
    """Return a change as values that JSON holds."""
    name = next(name for name, kind in KINDS.items() if isinstance(change, kind))
    return {
        "kind": name,
        **{key: value for key, value in vars(change).items() if key != "path"},
        "path": [*change.path],
    }


def from_plain(value: dict[str, Any]) -> Change:
    """Return a change from such values."""
    fields = {key: part for key, part in value.items() if key != "kind"}
    return KINDS[value["kind"]](**(fields | {"path": tuple(fields["path"])}))
