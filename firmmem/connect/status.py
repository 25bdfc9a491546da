"""How each host is connected."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmmem.connect.changes import value_at
from firmmem.connect.files import read
from firmmem.connect.formats import values
from firmmem.connect.hosts import HERMES_SERVER, Host, competes, env_of_entry, place_of_entry
from firmmem.connect.parts import missing_parts
from firmmem.connect.places import Machine, file_of, own_memory_file
from firmmem.errors import InvalidArgumentError


@dataclass(frozen=True)
class Connection:
    """What a host's files say."""

    host: Host
    file: Path
    connected: bool
    trouble: str = ""  # why it does not work, or what can't be known
    database: str = ""
    namespace: str = ""
    command: str = ""
    own_memory: bool | None = None  # the host's own memory is on; None: no file says so


def state_of(host: Host, machine: Machine) -> Connection:
    """Return how a host is connected, by its files as they are now."""
    file = file_of(host.key, machine)
    try:
        there = values(host.format, read(file) or "")
    except InvalidArgumentError as error:
        return Connection(host, file, connected=False, trouble=str(error))
    server = value_at(there, place_of_entry(host, there))
    own = own_memory(host, machine)
    if not isinstance(server, dict):
        return Connection(host, file, connected=False, own_memory=own)
    env, command = env_of_entry(host, there), command_of(server)
    return Connection(
        host,
        file,
        connected=True,
        trouble=trouble_of_plugin(host, there, machine) or trouble_of(server, command),
        database=env.get("FIRMMEM_DB", ""),
        namespace=env.get("DEFAULT_NAMESPACE", ""),
        command=command,
        own_memory=own,
    )


def command_of(server: dict[str, Any]) -> str:
    """Return the program that a host starts; OpenCode has it in one list with its arguments."""
    command = server.get("command")
    if isinstance(command, list):
        command = command[0] if command else None
    return command if isinstance(command, str) else ""


def trouble_of(server: dict[str, Any], command: str) -> str:
    """Return why an entry does not work, as far as that can be seen from here."""
    if server.get("enabled") is False or server.get("disabled") is True:
        return "switched off in its file"
    if Path(command).is_absolute() and not os.access(command, os.X_OK):
        return f"{command} is no program any more: connect again"
    return "" if command else "its entry names no command: connect again"


def trouble_of_plugin(host: Host, there: Any, machine: Machine) -> str:
    """Return why Hermes does not use FirmMem's plugin, where it is connected by it."""
    if host.key != "hermes" or place_of_entry(host, there) == HERMES_SERVER:
        return ""
    chosen = value_at(there, ("memory", "provider"))
    if chosen != "firmmem":
        return f"its memory.provider is {chosen!r}: connect again"
    missing = missing_parts(host.key, machine)
    return f"{missing[0]} is missing: connect again" if missing else ""


def own_memory(host: Host, machine: Machine) -> bool | None:
    """Return whether the host's own memory is on; None where no file says so."""
    file = own_memory_file(host.key, machine)
    if file is None:
        return None
    try:
        return competes(host, values(host.format, read(file) or ""))
    except InvalidArgumentError:
        return None
