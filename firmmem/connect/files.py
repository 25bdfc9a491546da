"""Files of other programs: read as they are, replaced in one step, with a copy of the old one next to them."""

import contextlib
import difflib
import hashlib
import os
import shutil
import tempfile
from datetime import datetime
from pathlib import Path

from firmmem.errors import InvalidArgumentError


def read(file: Path) -> str | None:
    """Return a file's text; None where there is no such file.

    Raises:
        InvalidArgumentError: It can't be read.
    """
    try:
        return file.read_bytes().decode()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidArgumentError(f"it can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InvalidArgumentError("it can't be read: it is not UTF-8.") from None


def hash_of(text: str | None) -> str:
    """Return what a text is recognised by; of no file, nothing."""
    return "" if text is None else hashlib.sha256(text.encode()).hexdigest()


def difference(file: Path, before: str | None, after: str | None) -> str:
    """Return the lines that differ, as `diff -u` shows them."""
    old, new = ((text or "").splitlines(keepends=True) for text in (before, after))
    names = ("a new file" if before is None else str(file), "no file" if after is None else str(file))
    lines = difflib.unified_diff(old, new, *names)
    shown = (line if line.endswith("\n") else f"{line}\n\\ No newline at the end of the file\n" for line in lines)
    return "".join(shown).replace("\r\n", "\n").rstrip("\n")


def back_up(file: Path, text: str, now: float) -> Path:
    """Write the old text next to a file, under a name that is free, and return where.

    Raises:
        InvalidArgumentError: It can't be written.
    """
    stamp = datetime.fromtimestamp(now).strftime("%Y%m%d-%H%M%S")  # noqa: DTZ006 - a name in the person's own time
    for number in range(1, 100):
        copy = file.with_name(f"{file.name}.before-firmmem-{stamp}{f'-{number}' if number > 1 else ''}")
        try:
            descriptor = os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
        except FileExistsError:
            continue
        except OSError as error:
            raise InvalidArgumentError(f"{copy} can't be written: {error.strerror}; nothing was changed.") from None
        with os.fdopen(descriptor, "wb") as out:
            out.write(text.encode())
            out.flush()
            os.fsync(out.fileno())
        return copy
    raise InvalidArgumentError(f"there are a hundred backups next to {file} of this second; nothing was changed.")


def replace(file: Path, text: str, expected: str | None) -> None:
    """Put a text in a file's place in one step; its permissions stay, and a link to it stays a link.

    Raises:
        InvalidArgumentError: It can't be written, or it is not what it was when the change was shown.
    """
    target = Path(os.path.realpath(file))
    if read(target) != expected:
        raise InvalidArgumentError(f"{file} was changed by another program meanwhile: run this again.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise InvalidArgumentError(f"{file} can't be written: {error.strerror}.") from None
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(text.encode())
            out.flush()
            os.fsync(out.fileno())
        if expected is not None:
            shutil.copymode(target, new)
        new.replace(target)
    except OSError as error:
        with contextlib.suppress(OSError):
            new.unlink()
        raise InvalidArgumentError(f"{file} can't be written: {error.strerror}.") from None
