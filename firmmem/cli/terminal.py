"""The person at the keyboard: what is printed, how a command fails, which file and namespace it is about."""

import json
import re
import sys
from collections.abc import Callable
from functools import partial
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


WIDEST = 160  # columns of help in a wide terminal
# What takes more than one transaction, so that a part of it may be done when it is interrupted.
ONE_BY_ONE = ("inbox", "connect", "disconnect")
PIECEMEAL = (*ONE_BY_ONE, "upkeep", "undo", "revoke", "embed", "erase", "serve", "provider", "demo")
SOME = "stopped: what was done before stays."
NOTHING = "stopped: nothing was changed."
KINDS = {"int": "NUMBER", "float": "NUMBER", "path": "FILE"}  # what help calls a value; all others are TEXT
# What pydantic, by which typer checks values, says of a wrong one, and what is said instead.
WRONG_VALUES = (
    (re.compile(r"valid integer"), "give a whole number"),
    (re.compile(r"valid number"), "give a number"),
    (re.compile(r"greater than or equal to (\S+)"), "give {} or more"),
    (re.compile(r"less than or equal to (\S+)"), "give {} or less"),
)


class Commands(TyperGroup):
    """Commands that speak UTF-8, and whose failures are one sentence."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command whose help calls its values by words, not by names of types."""
        command = super().get_command(ctx, cmd_name)
        for option in getattr(command, "params", ()):
            if not option.metavar and not getattr(option, "is_flag", False):
                argument = option.param_type_name == "argument"
                kind = next((said for name, said in KINDS.items() if name in type_name(option)), "TEXT")
                option.metavar = option.name.upper() if argument else kind
            if not hasattr(option, "said"):
                option.said = option.get_help_record
                option.get_help_record = partial(help_without_types, option.said)
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with their whole first sentences, on as many lines as these need."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, first_sentence(command.help or "")) for name, command in found if command and not command.hidden]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

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
        except typer.Abort:  # at a question
            fail(SOME if ctx.invoked_subcommand in ONE_BY_ONE else NOTHING, 130)
        except KeyboardInterrupt:
            fail(SOME if ctx.invoked_subcommand in PIECEMEAL else NOTHING, 130)
        except UsageError as error:
            if said := wrong_value(error):
                fail(said, 2)
            wrong = getattr(error, "option_name", "")
            if "No such option" not in str(error) or not wrong:
                raise
            fail(
                f"there is no option {wrong} here (--help lists them); a text that begins with a dash comes after --.",
                2,
            )


def help_without_types(record: Callable[[Any], tuple[str, str] | None], ctx: Any) -> tuple[str, str] | None:
    """Return what help says of a value, without the name of its type that typer adds to arguments."""
    said = record(ctx)
    return said and (re.sub(r" <[^>]+>$", "", said[0]), said[1])


def type_name(option: Any) -> str:
    """Return what typer calls the type of an option's value."""
    kind = getattr(option, "type_descriptor", None) or getattr(option, "type", "")  # of newer and older typers
    return str(getattr(kind, "name", kind)).lower()


def first_sentence(text: str) -> str:
    """Return a command's help up to its first full stop, on one line."""
    return re.split(r"(?<=[.])\s", " ".join(text.split()), maxsplit=1)[0]


def wrong_value(error: Exception) -> str:
    """Return what to give instead of a value that is wrong; nothing for other faults."""
    message = str(getattr(error, "message", ""))
    option = getattr(error, "param", None)
    for pattern, advice in WRONG_VALUES:
        found = pattern.search(message)
        if found and option is not None:
            name = option.opts[-1] if option.param_type_name == "option" else option.name.upper()
            return f"{name}: {advice.format(*(group.rstrip('.,') for group in found.groups()))}."
    return ""


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


EXPORT = b'{"type":"firmmem"'


def begins_with(file: Path, start: bytes) -> bool:
    """Return whether a file begins as those of a kind do; one that can't be read is told where it is read."""
    try:
        with file.expanduser().open("rb") as opened:
            return opened.read(len(start)) == start
    except OSError:
        return False


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
