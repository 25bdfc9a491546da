"""What a host is given besides its entry for the server: the files of a plugin.

Each part is a file of its own with a plan and a record of its own, under the host's key and the part's name.
"""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from firmmem.connect import hosts
from firmmem.connect.changes import Change, Remove, Set, depth, value_at
from firmmem.connect.hosts import HERMES_SERVER, Host, Start, host_named, place_of_entry
from firmmem.connect.places import Machine, file_of

HERMES_FILES = ("plugin.yaml", "tools.json", "child.py", "__init__.py")


def parts_of(host: Host) -> list[Host]:
    """Return a host's parts, in the order in which they are written: the entry, which needs them, comes last."""
    match host.key:
        case "hermes":
            return [part(host, name, "text") for name in HERMES_FILES] + [host]
        case _:
            return [host]


def part(host: Host, name: str, format_: str, restart: str = "") -> Host:
    """Return a part of a host."""
    return Host(f"{host.key}:{name}", host.name, host.program, format_, (), "", restart)


def file_of_part(host: Host, machine: Machine) -> Path:
    """Return the file of a host or of a part."""
    key, _, name = host.key.partition(":")
    if not name:
        return file_of(key, machine)
    return file_of(key, machine).parent / "plugins" / "firmmem" / name


def changes_for(host: Host, there: Any, start: Start, env: Mapping[str, str]) -> tuple[Change, ...]:
    """Return what connects a host or a part of it."""
    key, _, name = host.key.partition(":")
    if host.format == "text":
        return (Set(("text",), text_of(key, name)),)
    return hosts.changes_for(host, there, start, env)


def removals(host: Host, there: Any) -> tuple[Change, ...]:
    """Return what takes a host's entry, or a part, out of a configuration as it is now."""
    if host.format == "text":
        return (Set(("text",), ""),)
    path = place_of_entry(host, there)
    found: tuple[Change, ...] = (Remove(path, prune=1),) if depth(there, path) == len(path) else ()
    if host.key == "hermes" and path != HERMES_SERVER and value_at(there, ("memory", "provider")) == "firmmem":
        found = (Remove(("memory", "provider")), *found)
    return found


def text_of(key: str, name: str) -> str:
    """Return the text of a plugin's file."""
    return (plugin_folder(key) / name).read_text(encoding="utf-8")


def plugin_folder(key: str) -> Path:
    """Return the folder of a host's plugin, in the package or, in a checkout, next to it."""
    package = Path(str(files("firmmem")))
    inside = package / "plugins" / key
    return inside if inside.is_dir() else package.parent / "plugins" / key


def missing_parts(key: str, machine: Machine) -> list[Path]:
    """Return the files of a host's plugin that are not there."""
    parts = [each for each in parts_of(host_named(key)) if each.format == "text"]
    return [file for file in (file_of_part(each, machine) for each in parts) if not file.is_file()]
