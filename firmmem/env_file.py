"""The .env file of a process: where it is, and what it says.

Clients start servers in arbitrary folders, so it is the file that `FIRMMEM_ENV_FILE` names or the one in the platform's
configuration folder, never one in the working folder. Nothing here needs pydantic: a hook lives too short for it.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import platformdirs

from firmmem.errors import SettingsError


def find_env_file() -> Path:
    """Return the .env file that is read; one that `FIRMMEM_ENV_FILE` names has to exist.

    Raises:
        SettingsError: It does not.
    """
    named = os.environ.get("FIRMMEM_ENV_FILE", "").strip()
    if not named:
        return config_folder() / ".env"
    try:
        path = config_folder() / Path(named).expanduser()
    except RuntimeError:
        path = Path(named)
    if not os.path.exists(path) or os.path.isdir(path):  # noqa: PTH110, PTH112 - a Path's raise where one may not look
        raise SettingsError(f"FIRMMEM_ENV_FILE is {named!r}: {path} is no file. Correct it, or leave it out.")
    return path


def config_folder() -> Path:
    """Return the platform's folder for this user's configuration: where the .env file is looked for."""
    return Path(platformdirs.user_config_dir("firmmem", appauthor=False)).absolute()


def data_folder() -> Path:
    """Return the platform's folder for this user's data: the base of a relative `FIRMMEM_DB`."""
    return Path(platformdirs.user_data_dir("firmmem", appauthor=False)).absolute()


def read_env_file(file: Path) -> Mapping[str, str | None]:
    """Return what an .env file says, as it is written there; one that is not there, or not for us, says nothing."""
    if not os.access(file, os.F_OK) or not file.stat().st_size:
        return {}
    # Imported here: most deployments have no such file, and a start counts every millisecond.
    from dotenv import dotenv_values

    return dotenv_values(file, interpolate=False, encoding="utf-8-sig")


def drop_empty(values: Mapping[str, str | None], names: Iterable[str]) -> dict[str, str]:
    """Return the values of settings that are not left empty."""
    return {name: value for name in names if (value := (values.get(name) or "").strip())}
