"""Each peer in an environment of its own, in which nothing of FirmMem is."""

import shutil
import subprocess
import sys
from pathlib import Path

from benching.peers.peer import Peer


class LeftOutError(Exception):
    """A peer can't be asked; the sentence says why."""


def installed(peer: Peer, folder: Path) -> Path:
    """Return the environment of a peer, made where it is not there yet.

    Raises:
        LeftOutError: It does not install.
    """
    home = folder / "environments" / peer.name
    record = home / "installed"
    if peer.package and not (record.exists() and record.read_text(encoding="utf-8") == peer.package):
        shutil.rmtree(home, ignore_errors=True)
        for command in commands(peer, home):
            run(command)
        record.write_text(peer.package, encoding="utf-8")
    return home


def commands(peer: Peer, home: Path) -> list[list[str]]:
    if peer.installer == "npm":
        quiet = ["--no-fund", "--no-audit", "--loglevel=error"]
        return [["npm", "install", *quiet, "--prefix", str(home), peer.package]]
    quiet = ["--quiet", "--disable-pip-version-check"]
    return [
        [sys.executable, "-m", "venv", str(home)],
        [str(home / "bin" / "python"), "-m", "pip", "install", *quiet, peer.package],
    ]


def run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    except OSError as error:
        raise LeftOutError(f"it does not install: {error}") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        raise LeftOutError(f"it does not install: {said[-1]}")
