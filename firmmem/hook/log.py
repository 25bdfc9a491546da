"""The log of hooks: why one gave nothing, a line each; `doctor` reads it. No memory and no prompt is ever in it."""

import os
import time
from pathlib import Path

KEPT = 64_000  # bytes; beyond them the older half is dropped


def log_path() -> Path:
    """Return the log's path."""
    from firmmem.env_file import data_folder  # most hooks have nothing to log

    return data_folder() / "hook.log"


def log_line(event: str, reason: str) -> None:
    """Add a line; where even that fails, nothing is left to do."""
    path = log_path()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{stamp} {event}: {' '.join(reason.split())[:500]}\n".encode("utf-8", "replace")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists() and path.stat().st_size > KEPT:
            path.write_bytes(path.read_bytes()[-KEPT // 2 :].partition(b"\n")[2])
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)
    except OSError:
        return


def last_lines(count: int) -> list[str]:
    """Return the newest lines, oldest first."""
    try:
        return log_path().read_text(encoding="utf-8", errors="replace").splitlines()[-count:]
    except OSError:
        return []
