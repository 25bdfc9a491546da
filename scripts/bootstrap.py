"""Sets FirmMem up on a machine that has only Python and pip, then does what was asked.

    python3 scripts/bootstrap.py demo    the main job: a real server, memories of each tier, a recall
    python3 scripts/bootstrap.py test    the tests (what follows goes to pytest)

Everything goes into `.venv` beside `pyproject.toml`, never into the environment that happens to be active:
that may be an agent's, whose pinned packages FirmMem's would replace. Run again, it installs what changed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import subprocess
import sys
import venv
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = (3, 11)
PACKAGES = {"demo": str(CHECKOUT), "test": f"{CHECKOUT}[dev,semantic]"}
COMMANDS = {
    "demo": ["-m", "firmmem", "demo"],
    "test": ["-m", "pytest", "--numprocesses=logical", "--maxprocesses=8"],  # which `-n 0` takes back, for a debugger
}


def main() -> int:
    require_python()
    asked, arguments = parse_arguments()
    python = set_up(asked.environment.resolve(), asked.what)
    if asked.only_install:
        return 0
    return subprocess.run([python, *COMMANDS[asked.what], *arguments], cwd=CHECKOUT, check=False).returncode


def require_python() -> None:
    if sys.version_info < OLDEST_PYTHON:
        needed, found = (".".join(map(str, version[:2])) for version in (OLDEST_PYTHON, sys.version_info))
        sys.exit(f"FirmMem needs Python {needed} or newer and this is {found}: run this with a newer Python.")


def parse_arguments() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("what", choices=sorted(COMMANDS))
    parser.add_argument("--environment", type=Path, default=CHECKOUT / ".venv", help="instead of .venv")
    parser.add_argument("--only-install", action="store_true", help="set up and stop there")
    return parser.parse_known_args()


def set_up(environment: Path, what: str) -> Path:
    """Brings the environment up to date and returns its Python."""
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = environment / f"firmmem-{what}.installed"
    if done.is_file() and done.read_text() == fingerprint() and runs(python):
        return python
    print(f"Setting FirmMem up in {environment} (about a minute the first time)", flush=True)
    if not runs(python):
        create(environment, python)
    install([python, "-m", "pip"], "--editable", PACKAGES[what])
    done.write_text(fingerprint())
    return python


def fingerprint() -> str:
    """Changes when there is something to install: other requirements, or a checkout that moved."""
    return hashlib.sha256((CHECKOUT / "pyproject.toml").read_bytes() + bytes(CHECKOUT)).hexdigest()


def runs(python: Path) -> bool:
    return python.is_file() and subprocess.run([python, "-c", ""], check=False).returncode == 0


def create(environment: Path, python: Path) -> None:
    # Debian's Python may lack ensurepip, so the pip that is here brings the first one into the environment.
    has_pip = importlib.util.find_spec("pip") is not None
    venv.create(environment, clear=True, symlinks=os.name != "nt", with_pip=not has_pip)
    if has_pip:
        install([sys.executable, "-m", "pip", "--python", python], "pip")


def install(pip: list[Path | str], *packages: str) -> None:
    command = [*pip, "install", "-qq", "--disable-pip-version-check", *packages]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit("pip could not install what FirmMem needs: its reason stands above. Run this again.")


if __name__ == "__main__":
    sys.exit(main())
