"""`firmmem init`: the baseline core facts, from a file or by asking."""

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import typer

from firmmem.cli.core import open_for_changes
from firmmem.cli.facts import Fact, read_facts
from firmmem.cli.terminal import at_terminal, fail, say
from firmmem.connect.hosts import HERMES_NAMESPACE
from firmmem.errors import InvalidArgumentError, InvalidTextError, RefusedTextError
from firmmem.memory.write.core_facts import add_fact, decided_by_person, list_core_facts
from firmmem.settings import Settings
from firmmem.store.statements import Connection
from firmmem.text.normal_form import UNSPACED, normal_form, to_one_line
from firmmem.text.subjects import subject_key


@dataclass(frozen=True)
class Asked:
    """A question, and how its answer is kept in English and in Chinese."""

    subject: str
    prompt: str
    english: str
    chinese: str


QUESTIONS = (
    Asked("user.name", "Your name / 你的名字", "The user's name is {}.", "用户的名字是{}。"),
    Asked(
        "user.language", "Language of answers / 用什么语言回答", "The user wants answers in {}.", "用户希望用{}回答。"
    ),
    Asked("user.timezone", "Time zone / 时区", "The user's time zone is {}.", "用户的时区是{}。"),
    Asked("user.occupation", "What you do / 职业", "The user's occupation: {}.", "用户的职业：{}。"),
)
HOW = (
    "there is no file and no terminal to ask in: run `firmmem init FILE` with a TOML, JSON or Markdown file of facts "
    "(`firmmem init --example` prints one to start from); nothing was changed."
)


def add_facts(settings: Settings, namespace: str, file: Path | None, *, ask: bool) -> None:
    """Add the facts of a file, and of the person's answers."""
    asking = ask or file is None
    if asking and not at_terminal():
        fail(HOW, 2)
    facts = read_facts(file) if file else []
    say(f"Core facts of namespace {namespace!r} in {settings.db}")
    if asking:
        with open_for_changes(settings) as connection:
            rows = list_core_facts(connection, namespace)
        known = {subject_key(row["subject"]): to_one_line(row["summary"]) for row in rows}
        try:
            facts += ask_for_facts(known | {subject_key(fact.subject): fact.fact for fact in facts if fact.subject})
        except typer.Abort:
            fail("stopped: nothing was added.")
    with open_for_changes(settings, "init") as connection:
        lines = list(seed_all(connection, facts, settings, namespace, str(file or "your answers"), now=time.time()))
    say("\n".join(lines) or "Nothing to add.")
    say("`firmmem core list` shows them; `firmmem config` prints what to paste into your agent.")
    if namespace == "default":
        say(f"Hermes looks in namespace {HERMES_NAMESPACE}: add --namespace {HERMES_NAMESPACE} for it.")


def seed_all(
    connection: Connection, facts: Iterable[Fact], settings: Settings, namespace: str, source: str, *, now: float
) -> Iterator[str]:
    """Add what is new, one by one, in a transaction, and yield what became of each.

    Raises:
        InvalidArgumentError: A fact can't be stored; its entry is named.
    """
    subjects: dict[str, Fact] = {}
    for fact in facts:
        subject = subject_key(fact.subject)
        other = subjects.setdefault(subject, fact) if subject else fact
        if normal_form(other.fact) != normal_form(fact.fact):
            raise InvalidArgumentError(
                f"{source}: {other.entry} and {fact.entry} are both about {fact.subject!r}; nothing was changed."
            )
        try:
            yield seed(connection, fact, settings, namespace, now=now)
        except (InvalidArgumentError, InvalidTextError, RefusedTextError) as error:
            reason = f"{source}: {fact.entry} is no core fact. {error}"
            raise InvalidArgumentError(f"{reason} Nothing was changed.") from error


def seed(connection: Connection, fact: Fact, settings: Settings, namespace: str, *, now: float) -> str:
    """Add one fact; what a person has removed or edited since stays as they left it."""
    text = to_one_line(fact.fact)
    left = decided_by_person(connection, fact.fact, namespace=namespace)
    standing = {normal_form(row["summary"]) for row in list_core_facts(connection, namespace)}
    if left is not None and normal_form(fact.fact) not in standing:
        if left["superseded_by"]:
            return f"kept #{left['superseded_by']}, which a person made of: {text}"
        return f"left out, since a person removed it as #{left['id']} (`firmmem core add` brings it back): {text}"
    written = add_fact(
        connection, fact.fact, settings, namespace=namespace, subject=fact.subject, tags=fact.tags, now=now
    )
    match written.status:
        case "refused":
            [core] = written.conflicting
            return f"kept #{core.id}: {core.summary} (not: {text}; `firmmem core edit {core.id}` changes it)"
        case "stored":
            return f"added #{written.id}: {text}"
        case "known":
            return f"already there, #{written.id}: {text}"
        case "quarantined":
            return f"left in quarantine, #{written.id}: {text}"
    return f"{written.status} to core, #{written.id}: {text}"


def ask_for_facts(known: dict[str, str]) -> list[Fact]:
    """Ask for the facts that are not known by their subject yet."""
    say("Press Enter to leave a question out. / 不想回答就直接按回车。")
    facts = []
    for question in QUESTIONS:
        key = subject_key(question.subject)
        if key in known:
            say(f"{question.prompt}: {known[key]}")
        elif answer := typer.prompt(question.prompt, default="", show_default=False).strip():
            kept = question.chinese if re.search(f"[{UNSPACED}]", answer) else question.english
            facts.append(Fact(question.subject, kept.format(answer.rstrip("。.")), question.subject, ("profile",)))
    say(
        "What else never changes: rules, preferences. One a line; an empty line ends.\n"
        "还有什么不会变的？每行一条，空行结束。"
    )
    while answer := typer.prompt(">", default="", show_default=False, prompt_suffix=" ").strip():
        facts.append(Fact(f"line {len(facts) + 1}", answer))
    return facts


def example_file() -> str:
    """Return the example file, from the package or, in a checkout, from beside it."""
    package = files("firmmem")
    inside = package / "examples" / "core_facts.example.toml"
    if not inside.is_file():
        inside = Path(str(package)).parent / "scripts" / "core_facts.example.toml"
    return inside.read_text(encoding="utf-8")
