"""Measures how well recall finds: every item written and every question asked through the real tools.

    python scripts/evaluate.py locomo ../data/locomo/locomo_0_4.json --months-later 8
    python scripts/evaluate.py all ../data --write

R@k is the mean over questions of |first k ∩ gold| / |gold|, H@k the share of questions with a gold item among the
first k, MRR the mean of 1/rank of the first gold item. Tokens are those of the reply, estimated as the product does;
latency is a call of the client that holds the server in its own process. Each way of asking begins with a copy
of the same file, so that the reviews which questions leave behind reach no other way. Differences are tested by a
paired bootstrap.
"""

import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import anyio
import documents
import typer
from evaluation import plain, report, sets, tool
from evaluation.measures import Answer
from evaluation.sets import Collection

from firmmem.settings import Settings

MONTH = 30.44 * sets.DAY
LONG_TEXTS = 20_000  # characters: a cap that refuses no abstract and no turn of the sets that have long ones
SCRIPTS = Path(__file__).resolve().parent
RESULTS = SCRIPTS / "RESULTS.md"
READMES = (SCRIPTS.parent / "README.md", SCRIPTS.parent / "README.zh-CN.md")
ENGLISH = ("plain FTS5, porter",)
CHINESE = ("plain FTS5, unicode61", "plain FTS5, trigram")

app = typer.Typer(help=__doc__, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

File = Annotated[Path, typer.Argument(exists=True, help="The set's file.")]
Folder = Annotated[Path, typer.Argument(exists=True, file_okay=False, help="The set's folder.")]
MonthsLater = Annotated[float, typer.Option(help="Ask again with the server's clock so many months ahead; 0: do not.")]
PriorStrength = Annotated[
    list[float] | None, typer.Option(help="Ask again with this FIRMMEM_PRIOR_STRENGTH; repeatable.")
]
Limit = Annotated[list[int] | None, typer.Option(help="Ask again with this limit; repeatable.")]
Model = Annotated[bool, typer.Option("--model", help="Ask again with ENABLE_SEMANTIC_RERANK=true.")]
Write = Annotated[bool, typer.Option("--write", help="Put the tables into scripts/RESULTS.md.")]


@dataclass(frozen=True)
class Ways:
    """Which ways of asking a run compares, beside the defaults."""

    months_later: float = 0.0
    prior_strengths: Sequence[float] = ()
    limits: Sequence[int] = ()
    model: bool = False
    roomy: bool = False  # a token budget that ten long texts fit in

    def over(self, settings: Settings) -> list[tool.Way]:
        """Return them all, the defaults first."""
        found = [tool.Way("FirmMem", settings)]
        if self.months_later:
            name = f"FirmMem, {self.months_later:g} months later"
            found.append(tool.Way(name, settings, later_seconds=self.months_later * MONTH))
        found += [
            tool.Way(f"FirmMem, prior strength {each:g}", settings.model_copy(update={"prior_strength": each}))
            for each in self.prior_strengths
        ]
        found += [tool.Way(f"FirmMem, limit {each}", settings, arguments={"limit": each}) for each in self.limits]
        if self.model:
            found.append(tool.Way("FirmMem, with the model", settings.model_copy(update={"semantic_rerank": True})))
        if self.roomy:
            found.append(tool.Way("FirmMem, token budget 20,000", settings, arguments={"token_budget": 20_000}))
        return found


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


@app.command()
def locomo(
    file: File,
    months_later: MonthsLater = 8.0,
    prior_strength: PriorStrength = None,
    limit: Limit = None,
    model: Model = False,
    write: Write = False,
) -> None:
    """LoCoMo, turn level: one namespace a conversation, one memory a turn, written at its session's date."""
    ways = Ways(months_later, prior_strength or (), limit or (), model)
    tell(of_locomo(file, ways), write=write)


@app.command()
def lifebench(
    file: File,
    questions: Annotated[Path | None, typer.Option(exists=True, help="Ask this file's questions instead.")] = None,
    mixed: Annotated[Path | None, typer.Option(exists=True, help="Odd records from this file.")] = None,
    months_later: MonthsLater = 0.0,
    prior_strength: PriorStrength = None,
    limit: Limit = None,
    model: Model = False,
    write: Write = False,
) -> None:
    """LifeBench: one namespace a person, one memory a record, written at its date; R@k divides by min(k, |gold|)."""
    ways = Ways(months_later, prior_strength or (), limit or (), model)
    tell(of_lifebench(file, questions or file, mixed, ways), write=write)


@app.command()
def kdconv(folder: Folder, model: Model = False, write: Write = False) -> None:
    """KdConv: Chinese questions of a dialogue, and the travel facts that the reply states."""
    tell(of_kdconv(folder, model=model), write=write)


@app.command()
def cmrc2018(file: File, model: Model = False, write: Write = False) -> None:
    """CMRC 2018: Chinese questions, and the paragraph each was written for."""
    tell(of_cmrc2018(file, model=model), write=write)


@app.command()
def longmemeval(folder: Folder, model: Model = False, write: Write = False) -> None:
    """LongMemEval, two fragments: a smoke test."""
    tell(of_longmemeval(folder, model=model), write=write)


@app.command()
def cranfield(folder: Folder, model: Model = False, write: Write = False) -> None:
    """Cranfield: abstracts and judged queries, to see that word search is sane."""
    tell(of_cranfield(folder, model=model), write=write)


@app.command("all")
def every(data: Folder, model: Model = False, write: Write = False) -> None:
    """Every set of a folder that holds them as locomo/, lifebench/, kdconv/, cmrc2018/, longmemeval/, cranfield/.

    With --write, the READMEs' table too.
    """
    english, chinese = data / "lifebench" / "lb_en.json", data / "lifebench" / "lb_zh.json"
    ways, later = Ways(model=model), Ways(8.0, model=model)
    tasks = (
        lambda: of_locomo(data / "locomo" / "locomo_0_4.json", later),
        lambda: of_lifebench(english, english, None, later),
        lambda: of_lifebench(chinese, chinese, None, later),
        lambda: of_lifebench(english, chinese, None, ways),
        lambda: of_lifebench(chinese, chinese, english, ways),
        lambda: of_lifebench(chinese, english, english, ways),
        lambda: of_kdconv(data / "kdconv", model=model),
        lambda: of_cmrc2018(data / "cmrc2018" / "cmrc2018_dev.json", model=model),
        lambda: of_cranfield(data / "cranfield", model=model),
        lambda: of_longmemeval(data / "longmemeval", model=model),
    )
    rows = [report.summary(task.title, tell(task, write=write), capped=task.capped) for task in (t() for t in tasks)]
    typer.echo(report.summaries(rows))
    if write:
        for readme, chinese_words in zip(READMES, (False, True), strict=True):
            documents.between(readme, "evaluate", report.summaries(rows, chinese=chinese_words))


def of_locomo(file: Path, ways: Ways) -> Task:
    return Task("locomo", "LoCoMo: dialogue turns", f"locomo {file.name}", sets.locomo(file), ways, ENGLISH)


def of_lifebench(file: Path, questions: Path, mixed: Path | None, ways: Ways) -> Task:
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


def of_kdconv(folder: Path, *, model: bool) -> Task:
    collections = sets.kdconv(folder / "kb_travel.json", folder / "travel_dev.json")
    return Task("kdconv", "KdConv: Chinese facts", f"kdconv {folder.name}", collections, Ways(model=model), CHINESE)


def of_cmrc2018(file: Path, *, model: bool) -> Task:
    ways = Ways(model=model, roomy=True)
    title = "CMRC 2018: Chinese paragraphs"
    return Task("cmrc2018", title, f"cmrc2018 {file.name}", sets.cmrc2018(file), ways, CHINESE)


def of_cranfield(folder: Path, *, model: bool) -> Task:
    ways = Ways(model=model, roomy=True)
    collections = sets.cranfield(folder)
    return Task("cranfield", "Cranfield: abstracts", f"cranfield {folder.name}", collections, ways, ENGLISH)


def of_longmemeval(folder: Path, *, model: bool) -> Task:
    ways = Ways(model=model, roomy=True)
    title = "LongMemEval, fragments: turns"
    return Task("longmemeval", title, f"longmemeval {folder.name}", sets.longmemeval(folder), ways, ENGLISH)


def tell(task: Task, *, write: bool) -> dict[str, list[Answer]]:
    """Measure one set, print its tables, keep them where asked to, and return the answers."""
    answers = measured(task.collections, task.ways, task.tables)
    parts = [
        f"### {task.title}",
        f"`python scripts/evaluate.py {task.command}`: {size(task.collections)}",
        report.ways(answers, capped=task.capped),
        report.differences(answers, capped=task.capped),
        report.categories(answers, capped=task.capped),
    ]
    text = "\n\n".join(part for part in parts if part)
    typer.echo(f"\n{text}\n")
    if write:
        documents.between(RESULTS, task.name, text)
    return answers


def size(collections: Sequence[Collection]) -> str:
    """Return how much was written and asked, and how much of it not as the set has it."""
    items = [item for each in collections for item in each.items]
    questions = sum(len(each.questions) for each in collections)
    spaces = "1 namespace" if len(collections) == 1 else f"{len(collections)} namespaces"
    transcripts = sum(item.retold for item in items)
    told = f" {transcripts} of the memories are transcripts and were written on one line." if transcripts else ""
    return f"{len(items):,} memories in {spaces}, {questions:,} questions.{told}"


def measured(collections: list[Collection], ways: Ways, tables: Sequence[str]) -> dict[str, list[Answer]]:
    """Ask every question in every way, each of a copy of the same file."""
    answers: dict[str, list[Answer]] = {}
    with tempfile.TemporaryDirectory() as folder:
        settings = defaults(Path(folder) / "written.db")
        ids = anyio.run(tool.write, collections, settings)
        for way in ways.over(settings):
            own = way.settings.model_copy(update={"db": Path(folder) / "asked.db"})
            shutil.copyfile(settings.db, own.db)
            asked = tool.Way(way.name, own, way.later_seconds, way.arguments)
            answers[way.name] = anyio.run(tool.ask, collections, ids, asked)
            for file in Path(folder).glob("asked.db*"):
                file.unlink()
    return answers | {table: list(plain.answers(table, collections)) for table in tables}


def defaults(file: Path) -> Settings:
    """Return the default settings whatever the environment says, but for the cap on long texts."""
    return Settings.model_construct(db=file, summary_cap=LONG_TEXTS)


if __name__ == "__main__":
    app()
