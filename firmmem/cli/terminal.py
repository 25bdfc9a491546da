"""The person at the keyboard: what is printed, how a command fails, which file and namespace it is about."""

import json
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from firmmem.environment import read_settings
from firmmem.errors import FirmMemError, InvalidArgumentError
from firmmem.settings import NO_ADDRESS, Settings, is_address
from firmmem.time_zone import use_zone

Db = Annotated[Path | None, typer.Option("--db", help="The SQLite file, instead of the one in the settings.")]
Json = Annotated[bool, typer.Option("--json", help="As JSON, for programs.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Namespace = Annotated[str, typer.Option("--namespace", "-n", help="Instead of DEFAULT_NAMESPACE.")]


UsageError: type[Exception] = typer.BadParameter.__bases__[0]  # typer has a click of its own, or not


class Commands(TyperGroup):
    """Commands that speak UTF-8, and whose failures are one sentence."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run the command that the arguments name."""
        speak_utf8()
        return super().main(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what FirmMem raises on purpose is told as it is."""
        try:
            return super().invoke(ctx)
        except FirmMemError as error:
            fail(str(error))
        except UsageError as error:
            wrong = getattr(error, "option_name", "")
            if "No such option" not in str(error) or not wrong:
                raise
            fail(
                f"there is no option {wrong} here (--help lists them); a text that begins with a dash comes after --.",
                2,
            )


def speak_utf8() -> None:
    """Read and write UTF-8 whatever the locale says: memories are in any language, and `--json` is for programs."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(
                encoding="utf-8", errors="surrogateescape" if stream is sys.stdin else "backslashreplace"
            )


def say(text: str = "") -> None:
    """Print what was asked for."""
    print(text, flush=True)


def say_json(value: Any) -> None:
    """Print a value as JSON, in letters as they are."""
    say(json.dumps(value, ensure_ascii=False, indent=2))


def remark(text: str) -> None:
    """Print to stderr what is not the answer itself."""
    print(text, file=sys.stderr, flush=True)


def fail(sentence: str, code: int = 1) -> NoReturn:
    """End the command with one sentence: code 1 for what can't be done, 2 for what was asked wrongly."""
    remark(f"firmmem: {sentence}")
    raise typer.Exit(code)


def at_terminal() -> bool:
    """Return whether there is a person to ask."""
    return sys.stdin is not None and sys.stdin.isatty()


def with_file(settings: Settings, db: Path | None) -> Settings:
    """Return the settings about another file, if one was named.

    Raises:
        InvalidArgumentError: What was named is no path.
    """
    if db is None:
        return settings
    if is_address(str(db)):
        raise InvalidArgumentError(f"--db: {NO_ADDRESS}.")
    return settings.model_copy(update={"db": db.expanduser().absolute()})


def choose_file(db: Path | None, namespace: str) -> tuple[Settings, str]:
    """Return the settings, about the file that was named, and the namespace.

    Raises:
        SettingsError: A setting is wrong.
        InvalidArgumentError: The settings lock this process to another namespace.
    """
    settings = read_settings()
    use_zone(settings.time_zone)
    settings = with_file(settings, db)
    asked = " ".join(namespace.split()) or settings.namespace
    if settings.namespace_lock and asked != settings.namespace:
        raise InvalidArgumentError(f"FIRMMEM_NAMESPACE_LOCK keeps this process to {settings.namespace!r}.")
    return settings, asked
