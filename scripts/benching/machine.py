"""The machine that figures were measured on, in a line."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

from firmmem.store.sqlite import SQLITE_VERSION


def description() -> str:
    """Return processor, cores, system, and the versions that matter."""
    parts = [
        f"{processor()}, {os.cpu_count()} cores",
        f"{platform.system()} {platform.release()}",
        f"Python {platform.python_version()}",
        f"SQLite {'.'.join(map(str, SQLITE_VERSION))}",
        f"mcp {version('mcp')}",
    ]
    return "; ".join(parts)


def processor() -> str:
    known = Path("/proc/cpuinfo")
    lines = known.read_text().splitlines() if known.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
