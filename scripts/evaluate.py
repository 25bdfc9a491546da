"""Measures how well recall finds: every item written and every question asked through the real tools.

    python scripts/evaluate.py locomo ../data/locomo/locomo_0_4.json --months-later 8
    python scripts/evaluate.py all ../data --write

R@k is the mean over questions of |first k ∩ gold| / |gold|, H@k the share of questions with a gold item among the
first k, MRR the mean of 1/rank of the first gold item. Tokens are those of the reply, estimated as the product does;
latency is a call of the client that holds the server in its own process. Each way of asking begins with a copy
of the same file, so that the reviews which questions leave behind reach no other way. Differences are tested by a
paired bootstrap.
"""

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
    title = "LoCoMo: dialogue turns, English questions"
    tell("locomo", title, sets.locomo(file), ways, ENGLISH, capped=False, write=write)


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
    asked = questions or file
    collections = sets.lifebench_mixed(file, mixed, asked) if mixed else sets.lifebench(file, asked)
    name = f"lifebench-{file.stem}{f'-{mixed.stem}' if mixed else ''}-{asked.stem}"
    title = f"LifeBench: records of {file.name}{f' and {mixed.name}' if mixed else ''}, questions of {asked.name}"
    ways = Ways(months_later, prior_strength or (), limit or (), model)
    tell(name, title, collections, ways, (*ENGLISH, *CHINESE[1:]), capped=True, write=write)


@app.command()
def kdconv(folder: Folder, model: Model = False, write: Write = False) -> None:
    """KdConv: Chinese questions of a dialogue, and the travel facts that the reply states."""
    collections = sets.kdconv(folder / "kb_travel.json", folder / "travel_dev.json")
    title = "KdConv: travel facts, Chinese questions"
    tell("kdconv", title, collections, Ways(model=model), CHINESE, capped=False, write=write)


@app.command()
def cmrc2018(file: File, model: Model = False, write: Write = False) -> None:
    """CMRC 2018: Chinese questions, and the paragraph each was written for."""
    title = "CMRC 2018: paragraphs, Chinese questions"
    tell("cmrc2018", title, sets.cmrc2018(file), Ways(model=model, roomy=True), CHINESE, capped=False, write=write)


@app.command()
def longmemeval(folder: Folder, model: Model = False, write: Write = False) -> None:
    """LongMemEval, two fragments: a smoke test."""
    title = "LongMemEval, two fragments: turns, English questions"
    ways = Ways(model=model, roomy=True)
    tell("longmemeval", title, sets.longmemeval(folder), ways, ENGLISH, capped=False, write=write)


@app.command()
def cranfield(folder: Folder, model: Model = False, write: Write = False) -> None:
    """Cranfield: abstracts and judged queries, to see that word search is sane."""
    title = "Cranfield: abstracts, English queries"
    ways = Ways(model=model, roomy=True)
    tell("cranfield", title, sets.cranfield(folder), ways, ENGLISH, capped=False, write=write)


@app.command("all")
def every(data: Folder, model: Model = False, write: Write = False) -> None:
    """Every set of a folder that holds them as locomo/, lifebench/, kdconv/, cmrc2018/, longmemeval/, cranfield/."""
    english, chinese = data / "lifebench" / "lb_en.json", data / "lifebench" / "lb_zh.json"
    locomo(data / "locomo" / "locomo_0_4.json", model=model, write=write)
    for file, questions, mixed in (
        (english, english, None),
        (chinese, chinese, None),
        (english, chinese, None),
        (chinese, chinese, english),
        (chinese, english, english),
    ):
        lifebench(file, questions, mixed, model=model, write=write)
    kdconv(data / "kdconv", model=model, write=write)
    cmrc2018(data / "cmrc2018" / "cmrc2018_dev.json", model=model, write=write)
    longmemeval(data / "longmemeval", model=model, write=write)
    cranfield(data / "cranfield", model=model, write=write)


def tell(
    name: str,
    title: str,
    collections: list[Collection],
    ways: Ways,
    tables: Sequence[str],
    *,
    capped: bool,
    write: bool,
) -> None:
    """Measure one set, print its tables, and keep them where asked to."""
    answers = measured(collections, ways, tables)
    parts = [
        f"### {title}",
        size(collections),
        report.ways(answers, capped=capped),
        report.differences(answers, capped=capped),
        report.categories(answers, capped=capped),
    ]
    text = "\n\n".join(part for part in parts if part)
    typer.echo(f"\n{text}\n")
    if write:
        documents.between(RESULTS, name, text)


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
