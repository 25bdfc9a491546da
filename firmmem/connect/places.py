"""Where each host keeps its configuration on this platform, and whether the host is here."""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

OF_PROGRAMS = ("claude-desktop", "vscode", "zed")  # they keep their files where desktop programs do
USUAL = {
    "claude-desktop": ("Claude", "claude_desktop_config.json"),
    "vscode": ("Code", "User", "mcp.json"),
    "zed": ("Zed", "settings.json"),
    "cursor": (".cursor", "mcp.json"),
    "gemini-cli": (".gemini", "settings.json"),
    "windsurf": (".codeium", "windsurf", "mcp_config.json"),
}


@dataclass(frozen=True)
class Machine:
    """What decides where files are: the platform, the person's folder, the environment."""

    platform: str = sys.platform
    home: Path = field(default_factory=Path.home)
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def folder(self, variable: str, *usual: str) -> Path:
        """Return the folder that a variable names, or the usual one under the person's."""
        named = self.environ.get(variable, "").strip()
        return Path(named).expanduser() if named else self.home.joinpath(*usual)

    @property
    def programs(self) -> Path:
        """Return the folder in which desktop programs keep their settings."""
        if self.platform == "win32":
            return self.folder("APPDATA", "AppData", "Roaming")
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.folder("XDG_CONFIG_HOME", ".config")


def file_of(host: str, machine: Machine) -> Path:
    """Return the configuration file of a host, whether it is there or not."""
    windows = machine.platform == "win32"
    match host:
        case "hermes" if windows and not machine.environ.get("HERMES_HOME"):
            return machine.folder("LOCALAPPDATA", "AppData", "Local") / "hermes" / "config.yaml"
        case "hermes":
            return machine.folder("HERMES_HOME", ".hermes") / "config.yaml"
        case "claude-code":
            return machine.folder("CLAUDE_CONFIG_DIR") / ".claude.json"
        case "codex":
            return machine.folder("CODEX_HOME", ".codex") / "config.toml"
        case "opencode":
            folder = machine.folder("XDG_CONFIG_HOME", ".config") / "opencode"
            named = (folder / "opencode.jsonc", folder / "opencode.json")
            return next((file for file in named if file.is_file()), named[-1])
        case "zed" if not windows:
            return machine.folder("XDG_CONFIG_HOME", ".config") / "zed" / "settings.json"
        case _:
            return (machine.programs if host in OF_PROGRAMS else machine.home).joinpath(*USUAL[host])


def is_here(host: str, program: str, machine: Machine) -> bool:
    """Return whether a host is on this machine: its folder is there, or its program can be started."""
    file = file_of(host, machine)
    folder = {"claude-code": machine.home / ".claude", "vscode": file.parent.parent}.get(host, file.parent)
    return file.is_file() or folder.is_dir() or bool(shutil.which(program, path=machine.environ.get("PATH")))


def own_memory_file(host: str, machine: Machine) -> Path | None:
    """Return the file that says whether a host's own memory is on; None where that is not known to be in a file."""
    match host:
        case "hermes" | "codex":
            return file_of(host, machine)
        case "claude-code":
            return machine.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json"
        case _:
            return None
