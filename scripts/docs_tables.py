"""Writes what the documents say of settings, tools and commands from the code itself, and the tools' schemas.

    python scripts/docs_tables.py            brings the documents, .env.example, edge/tool_schemas.json and
                                             store/schema_fingerprints.py up to date
    python scripts/docs_tables.py --check    fails where they are not

A table stands between `<!-- name:start -->` and `<!-- name:end -->`. Its Chinese sentences are in
docs_tables.zh.toml, each under the English one that it translates, so that none outlives its original.
"""

import inspect
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import docs_example as example
from annotated_types import Ge, Gt, Le, Lt
from mcp.server.mcpserver.tools import Tool
from typer.main import get_command

from firmmem.__main__ import command_line
from firmmem.allowed_values import describe_allowed
from firmmem.edge.tools import TOOLS
from firmmem.settings import Settings, variable_name
from firmmem.store.migrate import scripts
from firmmem.store.schema_check import compute_fingerprint, expected_objects

CHECKOUT = Path(__file__).resolve().parent.parent
CHINESE = CHECKOUT / "scripts" / "docs_tables.zh.toml"
COMPARED = ("recall, three ordinary words", "recall, a common word", "recall without a query", "write")

Translate = Callable[[str], str]


def main() -> int:
    wanted = {
        **pages("docs", str),
        **pages("docs/zh", translator()),
        "README.md": readme("README.md", "docs/benchmarks.md", str),
        "README.zh-CN.md": readme("README.zh-CN.md", "docs/zh/benchmarks.md", translator()),
        ".env.example": env_example(),
        "firmmem/edge/tool_schemas.json": json.dumps(schemas(), indent=2) + "\n",
        "firmmem/store/schema_fingerprints.py": fingerprints(),
        "firmmem/hook/settings_table.json": json.dumps(settings_table(), indent=2) + "\n",
        "plugins/hermes/tools.json": json.dumps(function_tools(), indent=1) + "\n",
    }
    stale = [name for name, text in wanted.items() if read(name) != text]
    if "--check" in sys.argv[1:]:
        for name in stale:
            print(f"{name} is stale: run python scripts/docs_tables.py", file=sys.stderr)
        return len(stale)
    for name in stale:
        (CHECKOUT / name).write_text(wanted[name], encoding="utf-8", newline="\n")
        print(f"{name} brought up to date")
    return 0


def settings_table() -> dict[str, dict[str, Any]]:
    """Return what each setting is and may be, for those who read settings without pydantic."""
    return {field: setting_row(field) for field in Settings.model_fields}


def setting_row(field: str) -> dict[str, Any]:
    info = Settings.model_fields[field]
    row: dict[str, Any] = {"variable": variable_name(field), "default": info.default}
    kind = info.annotation
    if kind is Path:
        return row | {"kind": "path", "default": str(info.default)}
    if kind in (int, float):
        limits = {type(limit): limit for limit in info.metadata}
        least = limits.get(Ge, limits.get(Gt))
        most = limits.get(Le, limits.get(Lt))
        return row | {
            "kind": "int" if kind is int else "float",
            "least": getattr(least, "ge", getattr(least, "gt", None)),
            "most": getattr(most, "le", getattr(most, "lt", None)),
        }
    if kind is bool:
        return row | {"kind": "bool"}
    if get_args(kind) and get_origin(kind) is Literal:
        return row | {"kind": "choice", "choices": list(get_args(kind))}
    return row | {"kind": "text"}


def read(name: str) -> str:
    path = CHECKOUT / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


def translator() -> Translate:
    """Returns what translates a sentence, and ends the run where one has no translation."""
    sentences: dict[str, str] = tomllib.loads(CHINESE.read_text(encoding="utf-8"))

    def translate(sentence: str) -> str:
        if sentence not in sentences:
            sys.exit(f"{CHINESE.name} lacks a translation of: {sentence!r}")
        return sentences[sentence]

    return translate


def pages(folder: str, translate: Translate) -> dict[str, str]:
    """Return the pages of a folder that have tables, by their names, with the tables as they should be."""
    return {
        f"{folder}/tools.md": filled(f"{folder}/tools.md", tools=tools(translate)),
        f"{folder}/settings.md": filled(f"{folder}/settings.md", settings=settings(translate)),
        f"{folder}/command-line.md": filled(f"{folder}/command-line.md", commands=commands(translate)),
    }


def readme(name: str, benchmarks: str, translate: Translate) -> str:
    """Return a README with its tables, and with what the server really replies."""
    measured = read(benchmarks)
    return filled(name, tools=tool_names(translate), reply=example.lines(), compare=compared(measured, translate))


def filled(name: str, **tables: Iterable[str]) -> str:
    """Return a document with its tables as they should be."""
    text = read(name)
    for table, lines in tables.items():
        before, _, after = parts(name, text, table)
        text = before + "\n".join(lines) + "\n" + after
    return text


def parts(name: str, text: str, table: str) -> tuple[str, str, str]:
    """Return what is before, between and after a table's markers, which stay outside of what is between."""
    start, end = f"<!-- {table}:start -->\n", f"<!-- {table}:end -->"
    before, found, rest = text.partition(start)
    inside, ended, after = rest.partition(end)
    if not (found and ended):
        sys.exit(f"{name} has no {start.strip()} … {end}")
    return before + start, inside, end + after


def settings(translate: Translate) -> Iterator[str]:
    yield row(translate("Setting"), translate("Default"), translate("What it does"))
    yield row("---", "---", "---")
    for field, info in Settings.model_fields.items():
        yield row(f"`{variable_name(field)}`", cell(info.default, translate), translate(str(info.description)))


def cell(default: object, translate: Translate) -> str:
    text = shown(default)
    return f"`{text}`" if text else translate("*(empty)*")


def shown(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default:.10g}" if isinstance(default, float) else str(default)


def tools(translate: Translate) -> Iterator[str]:
    yield row(translate("Tool"), translate("Arguments"), translate("What it does"))
    yield row("---", "---", "---")
    for function, *_ in TOOLS:
        yield row(f"`{function.__name__}`", arguments(function), translate(first_sentence(function.__doc__ or "")))


def tool_names(translate: Translate) -> Iterator[str]:
    yield row(translate("Tool"), translate("What it does"))
    yield row("---", "---")
    for function, *_ in TOOLS:
        yield row(f"`{function.__name__}`", translate(first_sentence(function.__doc__ or "")))


def arguments(function: Callable[..., Any]) -> str:
    parameters = list(inspect.signature(function).parameters.values())[1:]  # after the context
    return ", ".join(f"`{argument(parameter)}`" for parameter in parameters)


def argument(parameter: inspect.Parameter) -> str:
    if parameter.default is inspect.Parameter.empty:
        return parameter.name
    value = parameter.default
    written = {str: '""', bool: str(value).lower(), tuple: "[]", list: "[]"}.get(type(value), repr(value))
    return f"{parameter.name}={written}"


def first_sentence(text: str) -> str:
    return re.split(r"(?<=[.])\s", " ".join(text.split()), maxsplit=1)[0]


def commands(translate: Translate) -> Iterator[str]:
    yield row(translate("Command"), translate("What it does"))
    yield row("---", "---")
    for words, command in walked("firmmem", get_command(command_line())):
        yield row(f"`{words}`", translate(first_sentence(command.help or "")))


def walked(words: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yields every command that does something, with the arguments it takes."""
    inner = getattr(command, "commands", None)
    if inner:
        for name in command.list_commands(None):
            yield from walked(f"{words} {name}", inner[name])
        return
    taken = [usage(part) for part in command.params if part.param_type_name == "argument"]
    yield " ".join([words, *taken]), command


def usage(argument: Any) -> str:
    name = (argument.metavar or argument.name).upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def compared(measured: str, translate: Translate) -> Iterator[str]:
    """Yields some rows of the measured tables of the page of benchmarks: other servers, and a bare search."""
    table = [line.split(" | ") for line in parts("benchmarks", measured, "peers")[1].splitlines() if "|" in line]
    wanted = {translate(label) for label in COMPARED}
    for cells in (table[0], table[1], *(cells for cells in table if cells[0].removeprefix("| ") in wanted)):
        yield " | ".join([cells[0], *cells[2:]])  # without the bare echo


def row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def env_example() -> str:
    """Returns .env.example: every setting, its sentence, what it may be, and its default as a comment."""
    head = """\
# Settings of FirmMem. Copy this to `.env` in the platform's configuration folder (Linux ~/.config/firmmem,
# macOS ~/Library/Application Support/firmmem, Windows %LOCALAPPDATA%\\firmmem), or name another file in the
# variable FIRMMEM_ENV_FILE. What the environment says comes before this file; `${...}` is not filled in.
# A .env file in the working folder is never read. Take the # away from what you change.
"""
    parts = [head]
    for field, info in Settings.model_fields.items():
        may = f"It may be {describe_allowed(field)}."
        parts.append(f"# {info.description}\n# {may}\n# {variable_name(field)}={shown(info.default)}\n")
    return "\n".join(parts)


def fingerprints() -> str:
    """Returns the module that holds the fingerprint of the schema after each migration."""
    each = (compute_fingerprint(expected_objects(applied)) for applied in range(1, len(scripts()) + 1))
    lines = "".join(f'    "{fingerprint}",  # {number:04}\n' for number, fingerprint in enumerate(each, 1))
    return f'''\
"""The fingerprint of the schema after each migration: scripts/docs_tables.py computes them, a start compares one."""

FINGERPRINTS = (
{lines})
'''


def schemas() -> dict[str, Any]:
    """Returns the schema of each tool's arguments by its name, made by the SDK from the tool's signature."""
    made = {
        function.__name__: Tool.from_function(function, context_kwarg="call", structured_output=False).parameters
        for function, _ in TOOLS
    }
    return {name: untitled(schema) for name, schema in made.items()}


def function_tools() -> list[dict[str, Any]]:
    """Returns the tools as models' interfaces take functions: an argument has one type there."""
    described = {function.__name__: " ".join((function.__doc__ or "").split()) for function, _ in TOOLS}
    return [{"name": name, "description": described[name], "parameters": schema} for name, schema in schemas().items()]


def untitled(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a schema without titles, which only repeat the names and cost every client's context."""
    properties = {
        name: {key: value for key, value in each.items() if key != "title"}
        for name, each in schema["properties"].items()
    }
    return {key: value for key, value in schema.items() if key != "title"} | {"properties": properties}


if __name__ == "__main__":
    sys.exit(main())
