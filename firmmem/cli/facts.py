"""A file of core facts: TOML, JSON, or a list in Markdown."""

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from firmmem.errors import InvalidArgumentError

LARGEST = 2**20  # bytes; who the user is fits on a few pages
KEYS = ("fact", "subject", "tags")
ITEM = re.compile(r"[-*+]\s+(?:\[[ xX]\]\s+)?(.*)|\d{1,9}[.)]\s+(.*)")
SUBJECT = re.compile(r"`([^`]+)`\s*[:：]?\s*(.*)")
UNREAD = re.compile(r"<!--.*?-->|^```.*?^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Fact:
    """A core fact to add, and how a message names the entry that it comes from."""

    entry: str
    fact: str
    subject: str = ""
    tags: tuple[str, ...] = ()


def read_facts(file: Path) -> list[Fact]:
    """Return the facts of a file.

    Raises:
        InvalidArgumentError: It can't be read, or one of its entries is no fact; the entry is named.
    """
    reader = {
        ".toml": read_toml,
        ".json": read_json,
        ".md": read_markdown,
        ".markdown": read_markdown,
        ".txt": read_markdown,
    }
    read = reader.get(file.suffix.lower())
    if read is None:
        raise InvalidArgumentError(f"{file} is of no known kind: give a .toml, .json, .md or .txt file.")
    try:
        facts = read(read_text(file))
    except (tomllib.TOMLDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InvalidArgumentError(f"{file} can't be read as {file.suffix[1:].upper()}: {error}.") from None
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{file}: {error}") from None
    if not facts:
        raise InvalidArgumentError(f"{file} holds no facts: `firmmem init --example` prints a file to start from.")
    return facts


def read_text(file: Path) -> str:
    """Return a file's text."""
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
    except OSError as error:
        raise InvalidArgumentError(f"it can't be read: {error.strerror}.") from None
    if len(data) > LARGEST:
        raise InvalidArgumentError("it is larger than 1 MB, and core facts are a few short statements.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")  # what PowerShell's > writes
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidArgumentError("it is not UTF-8: save it as UTF-8.") from None


def read_toml(text: str) -> list[Fact]:
    """Read `[[facts]]` tables, or `facts = ["…"]`."""
    return list_entries(tomllib.loads(text.replace("\r\n", "\n")))


def read_json(text: str) -> list[Fact]:
    """Read a list of texts or objects, or `{"facts": [...]}`."""
    return list_entries(json.loads(text))


def list_entries(document: object) -> list[Fact]:
    """Return the facts of what a TOML or JSON file holds."""
    found = document
    if isinstance(document, dict):
        unknown = [key for key in document if key != "facts"]
        if unknown:
            raise InvalidArgumentError(f"{unknown[0]!r} is not known: the list of facts is named facts.")
        found = document.get("facts", [])
    if not isinstance(found, list):
        raise InvalidArgumentError("a list of facts is needed.")
    return [parse_entry(value, f"fact {number}") for number, value in enumerate(found, 1)]


def parse_entry(value: object, entry: str) -> Fact:
    """Return one fact: a text, or an object with a fact and perhaps a subject and tags."""
    if isinstance(value, str):
        return Fact(entry, value)
    if not isinstance(value, dict):
        raise InvalidArgumentError(f"{entry} is neither a text nor a table with fact, subject and tags.")
    unknown = [key for key in value if key not in KEYS]
    if unknown:
        raise InvalidArgumentError(f"{entry} has {unknown[0]!r}: only fact, subject and tags are known.")
    fact, subject, tags = value.get("fact"), value.get("subject", ""), value.get("tags", [])
    if not isinstance(fact, str):
        raise InvalidArgumentError(f"{entry} needs a text named fact.")
    if not isinstance(subject, str):
        raise InvalidArgumentError(f"{entry} ({fact[:40]!r}): its subject must be a text.")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise InvalidArgumentError(f"{entry} ({fact[:40]!r}): its tags must be a list of texts.")
    return Fact(entry, fact, subject, tuple(tags))


def read_markdown(text: str) -> list[Fact]:
    """Read the items of lists; one may begin with its subject in backticks. What is no list item is not read."""
    facts: list[Fact] = []
    item: list[str] = []
    begun = 0
    for number, line in enumerate([*blank_comments(text).splitlines(), "#"], 1):
        found = ITEM.fullmatch(line.strip())
        if item and (found or not line.strip() or line.strip().startswith("#")):
            facts.append(parse_item(" ".join(item), begun))
            item = []
        if found:
            item, begun = [found[1] or found[2] or ""], number
        elif item:
            item.append(line.strip())
    return facts


def blank_comments(text: str) -> str:
    """Return Markdown without its comments and code, its lines where they were."""
    return UNREAD.sub(lambda found: "\n" * found[0].count("\n"), text.replace("\r\n", "\n"))


def parse_item(text: str, number: int) -> Fact:
    """Return a list item as a fact."""
    subject = SUBJECT.fullmatch(text)
    if subject and subject[2]:
        return Fact(f"line {number}", subject[2], subject[1])
    return Fact(f"line {number}", text)
