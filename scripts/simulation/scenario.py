"""What happens in the year: who writes, asks and judges what on which day, all of it from one seed."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from firmmem.contract import Outcome, Tier

CLIENTS = ("hermes", "claude-desktop", "cursor", "vscode")
CORE = (
    ("user.name", "The user is called Wei."),
    ("user.language", "用户讲中文和英文。"),
    ("user.rule", "Never send anything to a customer without asking the user."),
    ("user.allergy", "The user is allergic to peanuts."),
)
CITIES = ("Berlin", "Lisbon", "Porto", "Ghent", "Turin", "Malmö", "Graz", "Cork")
THINGS = (
    *("lamp", "kettle", "bicycle", "curtain", "ladder", "garden", "window", "invoice", "parcel", "printer", "sofa"),
    *("ticket", "radio", "bridge", "market", "engine", "bottle", "carpet", "pencil", "mirror", "basket", "tunnel"),
)
DEEDS = ("mentioned", "compared", "sketched", "praised", "misplaced", "counted", "borrowed", "repaired", "ordered")
SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "we", "zu")


@dataclass(frozen=True)
class Write:
    """A client writes a memory; `kind` is what the year's figures count it as."""

    client: str
    kind: Literal["core", "used", "chatter", "wrong", "office", "plan"]
    key: str
    text: str
    tier: Tier
    subject: str = ""
    goal: str = ""


@dataclass(frozen=True)
class Ask:
    """A client looks for a memory by its words and says whether it was right."""

    client: str
    key: str
    query: str
    outcome: Outcome | None


@dataclass(frozen=True)
class Judge:
    """A client says of a memory, by its key, how it turned out."""

    client: str
    key: str
    outcome: Outcome


@dataclass(frozen=True)
class Close:
    """A client closes a goal."""

    client: str
    goal: str


Event = Write | Ask | Judge | Close


@dataclass(frozen=True)
class Fact:
    """Something that is asked for again and again."""

    key: str
    text: str
    query: str
    every: float  # days between two questions, on average
    tier: Tier


@dataclass
class Year:
    """The whole scenario: its facts that are used, and what happens on each day."""

    facts: list[Fact]
    days: list[list[Event]] = field(default_factory=list)


def name(chance: random.Random) -> str:
    """Return a word that no other memory has, as good as surely."""
    return "".join(chance.choice(SYLLABLES) for _ in range(7))


def year(seed: int, *, days: int, chatter: int) -> Year:
    """Return a scenario of so many days, with about so many idle drafts a day."""
    chance = random.Random(seed)  # noqa: S311 - the same scenario every time
    made = Year([fact(chance, number) for number in range(40)])
    made.days = [[] for _ in range(days)]
    for day, events in enumerate(made.days):
        events += everyday(chance, made.facts, day, chatter)
        chance.shuffle(events)
        events[:0] = firsts(chance, made.facts, day)
    for number in range(max(1, days // 30)):
        plant_wrong(chance, made.days, number)
    return made


def fact(chance: random.Random, number: int) -> Fact:
    """Return a fact that is worth remembering: half of them checked, half written as drafts."""
    what, where = name(chance), name(chance)
    text = f"The {chance.choice(THINGS)} of project {what} is kept at {where}."
    return Fact(
        f"used {number}", text, f"where is {what} kept", chance.uniform(3, 14), ("validated", "draft")[number % 2]
    )


def firsts(chance: random.Random, facts: list[Fact], day: int) -> Iterator[Event]:
    """Yield what is written on a day for the first time and serves the whole year."""
    if day == 0:
        for subject, text in CORE:
            yield Write("hermes", "core", subject, text, "core", subject)
    for number, each in enumerate(facts):
        if day == number // 4:
            yield Write(chance.choice(CLIENTS), "used", each.key, each.text, each.tier)
    if day % 61 == 3:
        city = CITIES[day // 61 % len(CITIES)]
        yield Write("hermes", "office", f"office {day}", f"The office is in {city}.", "validated", "office")
    if day % 45 == 5:
        for step in range(4):
            text = f"Step {step} of plan {name(chance)}: find a {chance.choice(THINGS)}."
            yield Write("claude-desktop", "plan", f"plan {day} {step}", text, "strategic", goal=f"plan {day // 45}")
    if day % 45 == 44 and day > 90:
        yield Close("claude-desktop", f"plan {day // 45 - 2}")


def everyday(chance: random.Random, facts: list[Fact], day: int, chatter: int) -> Iterator[Event]:
    """Yield what every day brings: idle drafts, and questions about what was written before."""
    for number in range(chance.randint(chatter // 2, chatter + chatter // 2)):
        words = f"{chance.choice(THINGS)} and a {chance.choice(THINGS)} near {name(chance)}"
        text = f"Somebody {chance.choice(DEEDS)} a {words}."
        yield Write(chance.choice(CLIENTS), "chatter", f"chatter {day} {number}", text, "draft")
    for number, each in enumerate(facts):
        if day > number // 4 and chance.random() < 1 / each.every:
            outcome: Outcome | None = "positive" if chance.random() < 0.3 else None
            yield Ask(chance.choice(CLIENTS), each.key, each.query, outcome)


def plant_wrong(chance: random.Random, days: list[list[Event]], number: int) -> None:
    """Let a client write something wrong as checked, and three sessions find out in the weeks after."""
    day = min(len(days) - 1, 10 + 30 * number)
    key, what = f"wrong {number}", name(chance)
    text = f"The password of {what} is written on the {chance.choice(THINGS)}."
    days[day].append(Write("vscode", "wrong", key, text, "validated"))
    for later, client in zip(sorted(chance.sample(range(1, 7), 3)), CLIENTS, strict=False):
        if day + later < len(days):
            days[day + later].append(Judge(client, key, "negative"))
