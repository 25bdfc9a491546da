"""What connecting or disconnecting a host would change, and doing it.

A plan is about one file: a host's own, or one of a part of it, such as its hooks (`parts`).
"""

import contextlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firmmem.connect.changes import Change, as_plain, effective, inverse, with_changes
from firmmem.connect.files import back_up, difference, hash_of, read, replace
from firmmem.connect.formats import edit, values
from firmmem.connect.hosts import Host, Start, env_of_entry
from firmmem.connect.journal import Connected, forget, keep
from firmmem.connect.parts import changes_for, removals
from firmmem.errors import InvalidArgumentError


@dataclass(frozen=True)
class Plan:
    """A change of one file: its text before and after (None: no file), what takes it back, the backup it goes by."""

    host: Host
    file: Path
    before: str | None
    after: str | None
    undo: tuple[Change, ...] = ()
    backup: str | None = None  # None: a new one is written
    exact: bool = True  # the file comes, or can come back, as it was before

    @property
    def changes_nothing(self) -> bool:
        """Return whether all is as it should be."""
        return self.before == self.after

    def diff(self) -> str:
        """Return what a person is shown before it is done."""
        return difference(self.file, self.before, self.after)


def plan_connect(host: Host, file: Path, start: Start, env: Mapping[str, str], record: Connected | None) -> Plan:
    """Return what connects a host.

    Raises:
        InvalidArgumentError: Its file can't be understood, or not be changed without altering something else.
    """
    before = read(file)
    there = values(host.format, before or "")
    changes = effective(there, changes_for(host, there, start, env))
    after = edit(host.format, before or "", changes) if changes else before
    if not record or record.file != str(file):
        return Plan(host, file, before, after, inverse(there, changes))
    known, original = record.original(before)
    without = values(host.format, original or "") if known else with_changes(there, effective(there, record.changes))
    undo = inverse(without, effective(without, changes_for(host, without, start, env)))
    return Plan(host, file, before, after, undo, record.backup if known else None, exact=known)


def environment(host: Host, file: Path, env: Mapping[str, str], namespace: str) -> dict[str, str]:
    """Return the environment for the server: a namespace that the host already has stays unless one is named."""
    there = env_of_entry(host, values(host.format, read(file) or ""))
    return {**env, "DEFAULT_NAMESPACE": namespace or there.get("DEFAULT_NAMESPACE") or env["DEFAULT_NAMESPACE"]}


def plan_disconnect(host: Host, file: Path, record: Connected | None) -> Plan:
    """Return what disconnects a host: its file as it was before, or the file of today without what was added.

    Raises:
        InvalidArgumentError: Its file can't be understood, or not be changed without altering something else.
    """
    file = Path(record.file) if record else file
    before = read(file)
    if record:
        known, original = record.original(before)
        if known:
            return Plan(host, file, before, original, backup=record.backup)
    there = values(host.format, before or "")
    changes = effective(there, record.changes if record else ())
    rest = with_changes(there, changes)
    changes += effective(rest, removals(host, rest))
    after = edit(host.format, before or "", changes) if changes else before
    return Plan(host, file, before, after or None if host.format == "text" else after, exact=False)


def connect(plan: Plan, now: float) -> Path | None:
    """Make the change that connects a host, and return the backup of its file; there is none of a new file.

    Raises:
        InvalidArgumentError: It can't be done; the file is as it was.
    """
    if plan.after is None:
        raise InvalidArgumentError("there is nothing to write.")
    if plan.backup is None:
        backup = None if plan.before is None else back_up(plan.file, plan.before, now)
    else:
        backup = Path(plan.backup) if plan.backup else None
    try:
        replace(plan.file, plan.after, plan.before)
    except InvalidArgumentError:
        if backup and plan.backup is None:
            backup.unlink(missing_ok=True)
        raise
    undo = tuple(as_plain(change) for change in plan.undo)
    after = hash_of(plan.after) if plan.exact else ""
    keep(Connected(plan.host.key, str(plan.file), str(backup or ""), after, now, undo))
    return backup


def disconnect(plan: Plan, now: float) -> Path | None:
    """Make the change that disconnects a host; return the backup of a file that a person has edited since.

    Raises:
        InvalidArgumentError: It can't be done; the file is as it was.
    """
    kept = plan.exact or plan.before is None or plan.changes_nothing
    backup = None if kept else back_up(plan.file, plan.before or "", now)
    if plan.after is None:
        plan.file.unlink(missing_ok=True)
        remove_folder(plan)
    elif not plan.changes_nothing:
        replace(plan.file, plan.after, plan.before)
    forget(plan.host.key)
    if plan.exact and plan.backup:
        Path(plan.backup).unlink(missing_ok=True)  # the file is what it held
    return backup


def remove_folder(plan: Plan) -> None:
    """Remove the folder of a plugin, once nothing but what Python has made of it is in it."""
    if plan.host.key.startswith("hermes:"):
        shutil.rmtree(plan.file.with_name("__pycache__"), ignore_errors=True)
        with contextlib.suppress(OSError):
            plan.file.parent.rmdir()
