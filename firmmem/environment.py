"""Where the settings of a process come from: the environment, then an .env file, then the default.

Clients start servers in arbitrary folders, so the .env file is the one that `FIRMMEM_ENV_FILE` names or the one
in the platform's configuration folder, never one in the working folder.
"""

import difflib
import logging
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import ValidationError

from firmmem.allowed_values import describe_allowed
from firmmem.errors import SettingsError
from firmmem.settings import Settings, variable_name

log = logging.getLogger(__name__)


def read_settings() -> Settings:
    """Read the settings of this process.

    Raises:
        SettingsError: A value is wrong; every such setting is named, with what is allowed.
    """
    try:
        return Settings.model_validate(read_variables())
    except ValidationError as error:
        wrong = "; ".join(describe_fault(fault) for fault in error.errors(include_url=False))
        raise SettingsError(f"{wrong}. Correct it where the server is configured and start it again.") from None


def read_variables() -> dict[str, str]:
    """Return what the .env file and, before it, the environment say; `${...}` is never filled in, but reported.

    Raises:
        SettingsError: The file can't be read.
    """
    file = find_env_file()
    try:
        said = read_env_file(file)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise SettingsError(f"The settings in {file} can't be read: {reason}. Correct the file.") from None
    names = {variable_name(field) for field in Settings.model_fields}
    for name in said.keys() - names:
        near = difflib.get_close_matches(name, names, 1)
        log.warning("%s in %s is no setting%s", name, file, f": is {near[0]} meant?" if near else "")
    return drop_empty(said, names) | drop_empty(os.environ, names)


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


def read_env_file(file: Path) -> Mapping[str, str | None]:
    """Return what an .env file says, as it is written there; one that is not there, or not for us, says nothing."""
    if not os.access(file, os.F_OK):
        return {}
    # Imported here: most deployments have no such file, and a start counts every millisecond.
    from dotenv import dotenv_values

    return dotenv_values(file, interpolate=False, encoding="utf-8-sig")


def drop_empty(values: Mapping[str, str | None], names: Iterable[str]) -> dict[str, str]:
    """Return the values of settings that are not left empty."""
    return {name: value for name in names if (value := (values.get(name) or "").strip())}


def describe_fault(fault: Any) -> str:
    """Return one clause that names the setting at fault and says what is allowed."""
    name = str(fault["loc"][0])
    if name in Settings.model_fields:  # a default is named by its field
        name = variable_name(name)
    if fault["type"] == "value_error":
        return f"{name} is {fault['input']!r}: {fault['ctx']['error']}"
    field = next(field for field in Settings.model_fields if variable_name(field) == name)
    return f"{name} is {fault['input']!r} and must be {describe_allowed(field)}"


def setting_origins() -> dict[str, str]:
    """Return where each setting's value comes from: the environment, the .env file by its path, or the default.

    Raises:
        SettingsError: The file can't be read.
    """
    names = [variable_name(field) for field in Settings.model_fields]
    file = find_env_file()
    try:
        in_file = drop_empty(read_env_file(file), names)
    except (OSError, UnicodeDecodeError):
        in_file = {}  # which `variables` tells
    in_environment = drop_empty(os.environ, names)
    return {
        name: "environment" if name in in_environment else str(file) if name in in_file else "default" for name in names
    }
