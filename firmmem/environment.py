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

from firmmem.allowed_values import allowed
from firmmem.errors import SettingsError
from firmmem.settings import Settings, name_of

log = logging.getLogger(__name__)


def read_settings() -> Settings:
    """Read the settings of this process.

    Raises:
        SettingsError: A value is wrong; every such setting is named, with what is allowed.
    """
    try:
        return Settings.model_validate(variables())
    except ValidationError as error:
        wrong = "; ".join(sentence(fault) for fault in error.errors(include_url=False))
        raise SettingsError(f"{wrong}. Correct it where the server is configured and start it again.") from None


def variables() -> dict[str, str]:
    """Return what the .env file and, before it, the environment say; `${...}` is never filled in, but reported.

    Raises:
        SettingsError: The file can't be read.
    """
    file = env_file()
    try:
        said = written_in(file)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise SettingsError(f"The settings in {file} can't be read: {reason}. Correct the file.") from None
    names = {name_of(field) for field in Settings.model_fields}
    for name in said.keys() - names:
        near = difflib.get_close_matches(name, names, 1)
        log.warning("%s in %s is no setting%s", name, file, f": is {near[0]} meant?" if near else "")
    return given(said, names) | given(os.environ, names)


def env_file() -> Path:
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


def written_in(file: Path) -> Mapping[str, str | None]:
    """Return what an .env file says, as it is written there; one that is not there, or not for us, says nothing."""
    if not os.access(file, os.F_OK):
        return {}
    # Imported here: most deployments have no such file, and a start counts every millisecond.
    from dotenv import dotenv_values

    return dotenv_values(file, interpolate=False, encoding="utf-8-sig")


def given(values: Mapping[str, str | None], names: Iterable[str]) -> dict[str, str]:
    """Return the values of settings that are not left empty."""
    return {name: value for name in names if (value := (values.get(name) or "").strip())}


def sentence(fault: Any) -> str:
    """Return one clause that names the setting at fault and says what is allowed."""
    name = str(fault["loc"][0])
    if name in Settings.model_fields:  # a default is named by its field
        name = name_of(name)
    if fault["type"] == "value_error":
        return f"{name} is {fault['input']!r}: {fault['ctx']['error']}"
    field = next(field for field in Settings.model_fields if name_of(field) == name)
    return f"{name} is {fault['input']!r} and must be {allowed(field)}"


def origins() -> dict[str, str]:
    """Return where each setting's value comes from: the environment, the .env file by its path, or the default.

    Raises:
        SettingsError: The file can't be read.
    """
    names = [name_of(field) for field in Settings.model_fields]
    file = env_file()
    try:
        in_file = given(written_in(file), names)
    except (OSError, UnicodeDecodeError):
        in_file = {}  # which `variables` tells
    in_environment = given(os.environ, names)
    return {
        name: "environment" if name in in_environment else str(file) if name in in_file else "default" for name in names
    }
