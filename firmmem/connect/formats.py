"""A configuration file as text, in any of its formats: read, and edited so that the result is proved."""

import tomllib
from typing import Any

from firmmem.connect import jsonc, text, toml, yaml
from firmmem.connect.changes import Change, with_changes
from firmmem.errors import InvalidArgumentError

FORMATS = {"json": jsonc, "text": text, "toml": toml, "yaml": yaml}
MARK = "\ufeff"


def values(format_: str, text: str) -> dict[str, Any]:
    """Return what a configuration says.

    Raises:
        InvalidArgumentError: It can't be understood.
    """
    try:
        found = FORMATS[format_].load(text.removeprefix(MARK))
    except (ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else "it is nested too deeply"
        raise InvalidArgumentError(f"it is not the {format_.upper()} that it should be: {reason}.") from None
    if not isinstance(found, dict):
        raise InvalidArgumentError("it holds no keys at its top.")
    return found


def edit(format_: str, text: str, changes: tuple[Change, ...]) -> str:
    """Return the text with the changes made, comments, order, line ends and a byte order mark as they were.

    Raises:
        InvalidArgumentError: That is not what came of it; nothing may be written then.
    """
    mark, body = text[: text.startswith(MARK)], text.removeprefix(MARK)
    windows = body.count("\r\n") == body.count("\n") > 0
    plain = body.replace("\r\n", "\n") if windows else body
    wanted = with_changes(values(format_, plain), changes)
    try:
        new: str = FORMATS[format_].edit(plain, changes)
        same = FORMATS[format_].load(new) == wanted
    except (ValueError, LookupError, tomllib.TOMLDecodeError) as error:
        raise InvalidArgumentError(f"the change can't be made in it: {error}.") from None
    if not same:
        raise InvalidArgumentError("the change can't be made in it without altering something else.")
    return mark + (new.replace("\n", "\r\n") if windows else new)
