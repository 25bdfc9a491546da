"""What there is to measure: each set, the command that measures it, the ways of asking and the plain tables beside."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation import sets, tool, variants
from evaluation.sets import Collection
from firmmem.settings import Settings

MONTH = 30.44 * sets.DAY
ENGLISH = ("plain FTS5, porter",)
MODEL = ", with the model"
CHINESE = ("plain FTS5, unicode61", "plain FTS5, trigram")


@dataclass(frozen=True)
class Ways:
    """Which ways of asking a run compares, beside the defaults."""

    months_later: float = 0.0
    prior_strengths: Sequence[float] = ()
    limits: Sequence[int] = ()
    model: bool = False
    roomy: bool = False  # a token budget that ten long texts fit in
    floorless: bool = False  # with the floor of relevance switched off too
    elsewhere: bool = True  # another namespace's questions too
    feedback: bool = False  # votes are cast before anything is asked

    def over(self, settings: Settings) -> list[tool.Way]:
        """Return them all, the defaults first."""
        found = [tool.Way("FirmMem", settings)]
        found += self.later(found[0])
        found += [
            tool.Way(f"FirmMem, prior strength {each:g}", settings.model_copy(update={"prior_strength": each}))
            for each in self.prior_strengths
        ]
        found += [tool.Way(f"FirmMem, limit {each}", settings, arguments={"limit": each}) for each in self.limits]
        if self.roomy:
            found.append(tool.Way("FirmMem, token budget 20,000", settings, arguments={"token_budget": 20_000}))
        found += self.told_anyway(found[0])
        if self.model:
            semantic = tool.Way(f"FirmMem{MODEL}", settings.model_copy(update={"semantic_rerank": True}))
            found += [semantic, *self.later(semantic), *self.told_anyway(semantic)]
        return found

    def later(self, way: tool.Way) -> list[tool.Way]:
        """Return a way with the clock ahead, where that is wished."""
        name = f"{way.name}, {self.months_later:g} months later"
        return [replace(way, name=name, later_seconds=self.months_later * MONTH)] if self.months_later else []

    def told_anyway(self, way: tool.Way) -> list[tool.Way]:
        """Return a way without the floor, where that is wished."""
        return (
            [replace(way, name=f"{way.name}, no floor", settings=never_silent(way.settings))] if self.floorless else []
        )


def never_silent(settings: Settings) -> Settings:
    """Return the settings with which whatever comes nearest is told."""
    return settings.model_copy(update={"silence": 0.0})


@dataclass(frozen=True)
class Task:
    """One set to measure: what it is called, the command that measures it, and what plain tables it is held to."""

    name: str
    title: str
    command: str
    collections: list[Collection]
    ways: Ways
    tables: Sequence[str]
    capped: bool = False  # R@k divides by min(k, |gold|)


def locomo(file: Path, ways: Ways, form: str = "chat", sentences: int = 0) -> Task:
    """Return LoCoMo in one of `variants.FORMS`, each question with so many unrelated sentences around it."""
    collections = variants.FORMS[form](sets.locomo(file))
    options, title = "", "LoCoMo: dialogue turns"
    if form != "chat":
        options, title = f" --form {form}", f"{title}, {form}"
    if sentences:
        around = variants.user_sentences(file.parents[1] / "longmemeval")
        collections = variants.rambling(collections, around, sentences)
        options, title = f"{options} --sentences {sentences}", f"{title}, {sentences} sentences around"
    command = f"locomo {file.name}{options}"
    name = "locomo" + re.sub(r"\W+", "-", options)
    return Task(name, title, command, collections, ways, (*ENGLISH, CHINESE[1]) if options else ENGLISH)


def memdaily(folder: Path, draw: int, *, model: bool) -> Task:
    """Return MemDaily's rambling questions, each trajectory among 1,000 other messages."""
    collections = variants.memdaily(folder / "noisy_dev.json", folder.parent / "kdconv", draw)
    title = f"MemDaily: rambling Chinese questions, draw {draw}"
    ways = Ways(model=model, elsewhere=False)
    command = f"memdaily {folder.name} --draw {draw}"
    return Task(f"memdaily-{draw}", title, command, collections, ways, CHINESE)


def lifebench(file: Path, questions: Path, mixed: Path | None, ways: Ways) -> Task:
    collections = sets.lifebench_mixed(file, mixed, questions) if mixed else sets.lifebench(file, questions)
    asked = f" --questions {questions.name}" if questions != file else ""
    command = f"lifebench {file.name}{f' --mixed {mixed.name}' if mixed else ''}{asked}"
    records = f"{language(file)} and {language(mixed)}" if mixed else language(file)
    title = f"LifeBench: {records} records, {language(questions)} questions"
    tables = (*ENGLISH, *CHINESE[1:])
    return Task(re.sub(r"\W+", "-", command), title, command, collections, ways, tables, capped=True)


def language(file: Path) -> str:
    """Return the language that a LifeBench file's name tells: `lb_zh.json`."""
    return {"zh": "Chinese", "en": "English"}.get(file.stem[-2:], file.stem)


def kdconv(folder: Path, *, model: bool) -> Task:
    collections = sets.kdconv(folder / "kb_travel.json", folder / "travel_dev.json")
    return Task("kdconv", "KdConv: Chinese facts", f"kdconv {folder.name}", collections, Ways(model=model), CHINESE)


def cmrc2018(file: Path, *, model: bool) -> Task:
    ways = Ways(model=model, roomy=True)
    title = "CMRC 2018: Chinese paragraphs"
    return Task("cmrc2018", title, f"cmrc2018 {file.name}", sets.cmrc2018(file), ways, CHINESE)


def cranfield(folder: Path, *, model: bool) -> Task:
    ways = Ways(model=model, roomy=True)
    collections = sets.cranfield(folder)
    return Task("cranfield", "Cranfield: abstracts", f"cranfield {folder.name}", collections, ways, ENGLISH)


def longmemeval(folder: Path, *, model: bool) -> Task:
    ways = Ways(model=model, roomy=True)
    title = "LongMemEval, fragments: turns"
    return Task("longmemeval", title, f"longmemeval {folder.name}", sets.longmemeval(folder), ways, ENGLISH)
