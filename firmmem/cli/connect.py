"""`firmmem connect`, `disconnect` and `status`: the hosts on this machine, and this memory in them."""

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firmmem.cli.terminal import Db, at_terminal, choose_file, fail, remark, say
from firmmem.connect.hosts import ALL, HOSTS, Host, host_named, installed_command

if TYPE_CHECKING:
    from firmmem.connect.plan import Plan
    from firmmem.connect.status import Connection
    from firmmem.settings import Settings

Names = Annotated[list[str] | None, typer.Argument(metavar="[HOST]...", help=f"Of {', '.join(HOSTS)}; none: all here.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the change, and change nothing.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def connect(
    hosts: Names = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    namespace: Annotated[
        str, typer.Option("--namespace", "-n", help="Instead of what the host has, or else DEFAULT_NAMESPACE.")
    ] = "",
    db: Db = None,
) -> None:
    """Connect the agents on this machine: each file's change is shown as a diff, and made when you agree."""
    from firmmem.connect import plan
    from firmmem.connect.journal import records
    from firmmem.connect.parts import file_of_part, parts_of
    from firmmem.connect.places import Machine, file_of
    from firmmem.errors import InvalidArgumentError

    settings, _ = choose_file(db, namespace)
    machine, start, known = Machine(), installed_command(), records()
    given = {"FIRMMEM_DB": str(settings.db), "DEFAULT_NAMESPACE": settings.namespace}
    if settings_file := os.environ.get("FIRMMEM_ENV_FILE", "").strip():
        given["FIRMMEM_ENV_FILE"] = str(Path(settings_file).expanduser().absolute())
    failed, unasked = 0, 0
    for host in wanted_hosts(hosts, machine):
        file = file_of(host.key, machine)
        try:
            env = plan.environment(host, file, given, " ".join(namespace.split()))
            places = [(part, file_of_part(part, machine)) for part in parts_of(host)]
            plans = [plan.plan_connect(part, place, start, env, known.get(part.key)) for part, place in places]
            changes = [each for each in plans if not each.changes_nothing]
            if not changes:
                say(f"{host.name} is connected already: namespace {env['DEFAULT_NAMESPACE']!r}, {file}")
                continue
            show(changes)
            if dry_run:
                continue
            if not is_agreed(yes):
                unasked += not at_terminal()
                continue
            backups = [plan.connect(change, time.time()) for change in changes]
            say(f"{host.name} is connected: namespace {env['DEFAULT_NAMESPACE']!r} of {settings.db}")
            say(f"{say_backups(backups)}. Next: {', and '.join(next_steps(changes, host))}.")
        except InvalidArgumentError as error:
            failed += 1
            print_refusal(host, file, str(error), settings, namespace)
    end(failed, unasked)


def disconnect(hosts: Names = None, dry_run: DryRun = False, yes: Yes = False) -> None:
    """Take FirmMem out of the agents again: an untouched file comes back byte by byte; memories stay."""
    from firmmem.connect import plan
    from firmmem.connect.journal import records
    from firmmem.connect.parts import file_of_part, parts_of
    from firmmem.connect.places import Machine, file_of
    from firmmem.errors import InvalidArgumentError

    machine, known = Machine(), records()
    failed, unasked = 0, 0
    for host in wanted_hosts(hosts, machine, *(key.partition(":")[0] for key in known)):
        file = file_of(host.key, machine)
        try:
            places = [(part, file_of_part(part, machine)) for part in reversed(parts_of(host))]
            plans = [plan.plan_disconnect(part, place, known.get(part.key)) for part, place in places]
            changes = [each for each in plans if not each.changes_nothing or each.host.key in known]
            if not changes:
                say(f"{host.name} is not connected.")
                continue
            show(changes)
            if dry_run:
                continue
            if not is_agreed(yes):
                unasked += not at_terminal()
                continue
            backups = [plan.disconnect(change, time.time()) for change in changes]
            exact = all(change.exact for change in changes)
            how = "its files are as they were before" if exact else "what was edited since stays"
            say(f"{host.name} is disconnected: {how}.{f' {say_backups(backups)}' if any(backups) else ''}")
        except InvalidArgumentError as error:
            failed += 1
            remark(f"firmmem: {host.name}: {file} is left alone: {error} Take the entry `firmmem` out by hand.")
    end(failed, unasked)


def status(
    hosts: Names = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
    db: Db = None,
) -> None:
    """Say of each agent here whether it is connected, to which file and namespace, and when it last wrote."""
    from firmmem.connect.places import Machine
    from firmmem.connect.status import state_of

    settings, _ = choose_file(db, "")
    machine = Machine()
    found = [state_of(host, machine) for host in wanted_hosts(hosts, machine)]
    states = [(state, last_write(state)) for state in found]
    if as_json:
        say(json.dumps([as_values(state, at) for state, at in states], ensure_ascii=False, indent=2))
    else:
        say("\n".join(line for state, at in states for line in lines(state, at, settings)))


def wanted_hosts(names: list[str] | None, machine: Any, *more: str) -> list[Host]:
    """Return the hosts that were named, or else those that are here and `more`."""
    from firmmem.connect.places import is_here

    asked = [name.strip().lower() for name in names or ()]
    for name in asked:
        if name not in HOSTS:
            fail(f"there is no host {name!r}: name some of {', '.join(HOSTS)}.", 2)
    found = [host for host in ALL if host.key in more or is_here(host.key, host.program, machine)]
    if not asked and not found:
        fail(f"no agent was found on this machine: name one of {', '.join(HOSTS)} to connect it all the same.")
    return [host_named(name) for name in dict.fromkeys(asked)] or found


def show(changes: Sequence["Plan"]) -> None:
    """Print the changes of a host before they are made; what is FirmMem's own file is named only."""
    for change in changes:
        say(f"── {change.host.name}: {change.file}")
        if change.host.format == "text" and change.before is None and change.after is not None:
            say(f"A new file of FirmMem's plugin, {len(change.after.splitlines())} lines.")
        elif change.host.format == "text" and change.after is None and change.exact:
            say("This file of FirmMem's plugin goes.")
        else:
            say(change.diff() or "The file is as it should be; only its record goes.")


def say_backups(backups: Iterable[Path | None]) -> str:
    """Return where the old contents are."""
    found = [str(backup) for backup in backups if backup]
    return f"Backup: {', '.join(found)}" if found else "There was nothing to back up"


def next_steps(changes: Iterable["Plan"], host: Host) -> list[str]:
    """Return what the person has to do before the host reads its files."""
    return [*dict.fromkeys([host.restart, *(change.host.restart for change in changes if change.host.restart)])]


def is_agreed(yes: bool) -> bool:
    """Return whether the person wants the change."""
    return yes or (at_terminal() and typer.confirm("Make this change?"))


def print_refusal(host: Host, file: Path, reason: str, settings: "Settings", namespace: str) -> None:
    """Say why a file is left alone, and print what to put into it by hand."""
    from firmmem.connect.pastes import paste_for

    remark(f"firmmem: {host.name}: {file} is left alone: {reason} What to put into it by hand:")
    say(paste_for(host.key, installed_command(), settings, namespace)[-1].text)


def end(failed: int, unasked: int) -> None:
    """End with a code that says whether all was done."""
    if failed:
        raise typer.Exit(1)
    if unasked:
        fail("there is no terminal to ask in, so that nothing was changed: --yes makes these changes.", 2)


def last_write(state: "Connection") -> float | None:
    """Return when the host last wrote or voted, as the file that it uses knows it; None: never, or that is unknown."""
    from firmmem.cli.core import open_for_reading
    from firmmem.connect.hosts import client_of
    from firmmem.errors import FirmMemError
    from firmmem.store.statements import fetch

    if not state.database or not Path(state.database).is_file():
        return None
    settings, _ = choose_file(Path(state.database), "")
    names = {client_of(state.host), state.host.key}  # as an MCP client, and as the host of FirmMem's plugin
    try:
        with open_for_reading(settings) as connection:
            rows = [row for name in names for row in fetch(connection, "last_write_by_client", client=f"{name}*")]
    except FirmMemError:
        return None
    return max((float(row["at"]) for row in rows), default=None)


def as_values(state: "Connection", at: float | None) -> dict[str, Any]:
    """Return what is known of a host, for programs."""
    return {
        "host": state.host.key,
        "connected": state.connected,
        "file": str(state.file),
        "database": state.database,
        "namespace": state.namespace,
        "command": state.command,
        "trouble": state.trouble,
        "last_write": at,
        "own_memory": state.own_memory,
    }


def lines(state: "Connection", at: float | None, settings: "Settings") -> Iterator[str]:
    """Yield what is known of a host, for a person."""
    from firmmem.dates.moments import format_day

    if not state.connected:
        yield f"{state.host.name}: not connected ({state.trouble or state.file})"
    else:
        yield f"{state.host.name}: connected, namespace {state.namespace or 'as its .env says'!r}, {state.file}"
        if state.trouble:
            yield f"  does not work: {state.trouble}"
        if state.database and state.database != str(settings.db):
            yield f"  uses another file than this command: {state.database}"
        yield f"  last write or vote: {'none yet' if at is None else format_day(at)}"
    if state.own_memory:
        yield f"  its own memory is on{' and competes' if state.connected else ''}"
