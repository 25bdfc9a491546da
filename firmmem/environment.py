"""Where the settings of a process come from: the environment, then an .env file, then the default."""

import difflib
import logging
import os
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from firmmem.allowed_values import describe_allowed
from firmmem.env_file import drop_empty, find_env_file, read_env_file
from firmmem.errors import SettingsError
from firmmem.settings import Settings, is_address, variable_name

log = logging.getLogger(__name__)


def read_settings(db: str = "") -> Settings:
    """Read the settings of this process; `db` is a file instead of the one in them.

    Raises:
        SettingsError: A value is wrong; every such setting is named, with what is allowed.
    """
    try:
        variables = read_variables()
        if db:
            variables["FIRMMEM_DB"] = db if is_address(db) else str(Path(db).expanduser().absolute())
        return Settings.model_validate(variables)
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


def describe_fault(fault: Any) -> str:
    """Return one clause that names the setting at fault and says what is allowed."""
    name = str(fault["loc"][0])
    if name in Settings.model_fields:  # a default is named by its field
        name = variable_name(name)
    if fault["type"] == "value_error":
        return f"{name} is {without_password(repr(fault['input']))}: {fault['ctx']['error']}"
    field = next(field for field in Settings.model_fields if variable_name(field) == name)
    return f"{name} is {fault['input']!r} and must be {describe_allowed(field)}"


def without_password(text: str) -> str:
    """Return a value without what an address has before its @."""
    before, slashes, after = text.partition("://")
    return f"{before}{slashes}…@{after.rpartition('@')[2]}" if "@" in after else text


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
