"""Measures how well recall finds: every item written and every question asked through the real tools.

    python scripts/evaluate.py locomo DATA/locomo/locomo_0_4.json --months-later 8
    python scripts/evaluate.py reuse DATA/traces/*.tsv
    python scripts/evaluate.py all DATA --model --keep KEPT --write
    python scripts/evaluate.py prior DATA --keep KEPT
    python scripts/evaluate.py crowd DATA --size 1000000 --keep KEPT

R@k is the mean over questions of |first k ∩ gold| / |gold|, H@k the share of questions with a gold item among the
first k, MRR the mean of 1/rank of the first gold item. Tokens are those of the reply, estimated as the product does;
latency is a call of the client that holds the server in its own process. Each way of asking begins with a copy
of the same file, so that the reviews which questions leave behind reach no other way. Differences are tested by a
paired bootstrap. What was written is kept in a folder with its vectors, so that a run that was stopped goes on there.
"""

from pathlib import Path
from typing import Annotated

import documents
import typer
from evaluation import alike, chart, crowd, mechanisms, others, prior, report, sets, silence, tasks, variants
from evaluation.output import kept, show, tell, tell_reuse

CHART = Path(__file__).resolve().parent / "recall.svg"

app = typer.Typer(help=__doc__, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

File = Annotated[Path, typer.Argument(exists=True, help="The set's file.")]
Folder = Annotated[Path, typer.Argument(exists=True, file_okay=False, help="The set's folder.")]
MonthsLater = Annotated[float, typer.Option(help="Ask again with the server's clock so many months ahead; 0: do not.")]
PriorStrength = Annotated[
    list[float] | None, typer.Option(help="Ask again with this FIRMMEM_PRIOR_STRENGTH; repeatable.")
]
Form = Annotated[str, typer.Option(help=f"The form of the set: {', '.join(variants.FORMS)}.")]
Sentences = Annotated[int, typer.Option(min=0, help="Put so many unrelated sentences around each question.")]
Limit = Annotated[list[int] | None, typer.Option(help="Ask again with this limit; repeatable.")]
Model = Annotated[bool, typer.Option("--model", help="Ask again with ENABLE_SEMANTIC_RERANK=true.")]
Floorless = Annotated[bool, typer.Option("--no-floor", help="Ask again with no floor of relevance.")]
Feedback = Annotated[
    bool, typer.Option("--feedback", help="Before asking, vote on a third of the memories, from several sessions.")
]
Keep = Annotated[
    Path | None,
    typer.Option(help="Keep what was written in this folder; empty it when the code that writes has changed."),
]
Write = Annotated[bool, typer.Option("--write", help="Put the tables into scripts/RESULTS.md.")]


@app.command()
def locomo(
    file: File,
    form: Form = "chat",
    sentences: Sentences = 0,
    months_later: MonthsLater = 8.0,
    prior_strength: PriorStrength = None,
    limit: Limit = None,
    model: Model = False,
    no_floor: Floorless = False,
    feedback: Feedback = False,
    keep: Keep = None,
    write: Write = False,
) -> None:
    """LoCoMo, turn level: one namespace a conversation, one memory a turn, written at its session's date.

    In other forms: a day apart, shuffled too, or two conversations in one namespace, turn about within minutes.
    """
    ways = tasks.Ways(months_later, prior_strength or (), limit or (), model, floorless=no_floor, feedback=feedback)
    tell(tasks.locomo(file, ways, form, sentences), keep, write=write)


@app.command()
def lifebench(
    file: File,
    questions: Annotated[Path | None, typer.Option(exists=True, help="Ask this file's questions instead.")] = None,
    mixed: Annotated[Path | None, typer.Option(exists=True, help="Odd records from this file.")] = None,
    months_later: MonthsLater = 0.0,
    prior_strength: PriorStrength = None,
    limit: Limit = None,
    model: Model = False,
    no_floor: Floorless = False,
    feedback: Feedback = False,
    keep: Keep = None,
    write: Write = False,
) -> None:
    """LifeBench: one namespace a person, one memory a record, written at its date; R@k divides by min(k, |gold|)."""
    ways = tasks.Ways(months_later, prior_strength or (), limit or (), model, floorless=no_floor, feedback=feedback)
    tell(tasks.lifebench(file, questions or file, mixed, ways), keep, write=write)


@app.command()
def memdaily(
    folder: Folder,
    draw: Annotated[int, typer.Option(help="Which messages are around: one draw of KdConv's.")] = 0,
    model: Model = False,
    keep: Keep = None,
    write: Write = False,
) -> None:
    """MemDaily: questions that are asked at the end of a rambling prompt, among 1,000 messages of kdconv/."""
    tell(tasks.memdaily(folder, draw, model=model), keep, write=write)


@app.command("silence")
def silence_(data: Folder, model: Model = False, keep: Keep = None, write: Write = False) -> None:
    """Silence, always as a pair: of questions that nothing answers and of those that something does."""
    with kept(keep) as folder:
        text = silence.report(data, folder, model=model)
    name = f"silence{'-model' if model else ''}"
    title = f"Silence{', with the model' if model else ', by words alone'}"
    command = f"`python scripts/evaluate.py silence DATA{' --model' if model else ''}`"
    show(name, f"### {title}\n\n{command}: {silence.INTRO}\n\n{text}", write=write)


@app.command("mechanisms")
def mechanisms_(data: Folder, model: Model = False, keep: Keep = None, write: Write = False) -> None:
    """What each mechanism of recall gains: R@10 with it, less R@10 without it."""
    with kept(keep) as folder:
        text = mechanisms.report(data, folder, model=model)
    name = f"mechanisms{'-model' if model else ''}"
    title = f"What each mechanism gains{', with the model' if model else ', by words alone'}"
    command = f"`python scripts/evaluate.py mechanisms DATA{' --model' if model else ''}`"
    show(name, f"### {title}\n\n{command}: {mechanisms.INTRO}\n\n{text}", write=write)


@app.command()
def kdconv(folder: Folder, model: Model = False, keep: Keep = None, write: Write = False) -> None:
    """KdConv: Chinese questions of a dialogue, and the travel facts that the reply states."""
    tell(tasks.kdconv(folder, model=model), keep, write=write)


@app.command()
def cmrc2018(file: File, model: Model = False, keep: Keep = None, write: Write = False) -> None:
    """CMRC 2018: Chinese questions, and the paragraph each was written for."""
    tell(tasks.cmrc2018(file, model=model), keep, write=write)


@app.command()
def longmemeval(folder: Folder, model: Model = False, keep: Keep = None, write: Write = False) -> None:
    """LongMemEval, two fragments: a smoke test."""
    tell(tasks.longmemeval(folder, model=model), keep, write=write)


@app.command()
def cranfield(folder: Folder, model: Model = False, keep: Keep = None, write: Write = False) -> None:
    """Cranfield: abstracts and judged queries, to see that word search is sane."""
    tell(tasks.cranfield(folder, model=model), keep, write=write)


@app.command("reuse")
def reused(
    files: Annotated[
        list[Path], typer.Argument(exists=True, dir_okay=False, help="Histories: time, commit, status, path.")
    ],
    write: Write = False,
) -> None:
    """Re-use: which path of a repository is touched next, told from past use by RFM and by plain ways."""
    tell_reuse(files, write=write)


@app.command("all")
def every(data: Folder, model: Model = False, keep: Keep = None, write: Write = False) -> None:
    """Every set of a folder that holds them as locomo/, lifebench/, kdconv/, cmrc2018/, longmemeval/, cranfield/.

    And the histories in its traces/, if there are any. With --write, the table of docs/benchmarks.md too.
    """
    english, chinese = data / "lifebench" / "lb_en.json", data / "lifebench" / "lb_zh.json"
    ways, later = tasks.Ways(model=model), tasks.Ways(8.0, model=model, floorless=True)
    readers = (
        lambda: tasks.locomo(data / "locomo" / "locomo_0_4.json", later),
        lambda: tasks.locomo(data / "locomo" / "locomo_0_4.json", ways, "shuffled"),
        lambda: tasks.locomo(data / "locomo" / "locomo_0_4.json", ways, "shuffled", 3),
        lambda: tasks.locomo(data / "locomo" / "locomo_0_4.json", ways, "interleaved"),
        lambda: tasks.memdaily(data / "memdaily", 0, model=model),
        lambda: tasks.lifebench(english, english, None, later),
        lambda: tasks.lifebench(chinese, chinese, None, later),
        lambda: tasks.lifebench(english, chinese, None, ways),
        lambda: tasks.lifebench(chinese, chinese, english, ways),
        lambda: tasks.lifebench(chinese, english, english, ways),
        lambda: tasks.kdconv(data / "kdconv", model=model),
        lambda: tasks.cmrc2018(data / "cmrc2018" / "cmrc2018_dev.json", model=model),
        lambda: tasks.cranfield(data / "cranfield", model=model),
        lambda: tasks.longmemeval(data / "longmemeval", model=model),
    )
    rows = []
    for task in (read() for read in readers):
        rows += report.summary(task.title, tell(task, keep, write=write), capped=task.capped)
    if files := sorted((data / "traces").glob("*.tsv")):
        tell_reuse(files, write=write)
    else:
        typer.echo(f"No histories of use: {data / 'traces'} holds no *.tsv")
    typer.echo(report.summaries(rows))
    if write:
        documents.in_benchmarks("evaluate", lambda chinese: report.summaries(rows, chinese=chinese))


@app.command("prior")
def prior_(data: Folder, keep: Keep = None, write: Write = False) -> None:
    """How strongly age and trust may weigh: LoCoMo and LifeBench at strengths of the prior from 0 to 1."""
    tables: list[tuple[str, str]] = []
    with kept(keep) as folder:
        for task in monolingual(data):
            tables.append((task.title, prior.over_strengths(task, folder)))
            show("prior", prior.text(tables), write=write)


@app.command("alike")
def alike_(
    data: Folder,
    sample: Annotated[int, typer.Option(min=1, help="Texts altered of each set.")] = alike.SAMPLE,
    write: Write = False,
) -> None:
    """Like texts: how often a write names the memory that its text was altered from, of LoCoMo and LifeBench."""
    names = ("LoCoMo", "LifeBench, English", "LifeBench, Chinese")
    texts = {name: task.collections for name, task in zip(names, monolingual(data), strict=True)}
    with kept(None) as folder:
        text = alike.table(alike.measured(texts, folder, sample))
    told = "`python scripts/evaluate.py alike DATA`: texts written again, altered, where each set is in one namespace."
    show("alike", f"### Like texts\n\n{told}\n\n{text}", write=write)


@app.command("crowd")
def crowd_(
    data: Folder,
    size: Annotated[int, typer.Option(min=1, help="Other memories in the namespace.")] = 1_000_000,
    every: Annotated[int, typer.Option(min=1, help="Ask each so manieth question: uncapped, one takes seconds.")] = 1,
    keep: Keep = None,
    write: Write = False,
) -> None:
    """What recall's caps lose: LoCoMo's conversations inside one namespace of very many other memories."""
    conversations = sets.locomo(data / "locomo" / "locomo_0_4.json")
    among = crowd.Crowd(conversations, others.others(data, conversations), size)
    with kept(keep) as folder:
        file = crowd.laid(among, folder)
        answers, common = crowd.asked(among, file, every), crowd.competition(among, file)
    command = f"crowd DATA --size {size}{f' --every {every}' if every > 1 else ''}"
    laid = f"`python scripts/evaluate.py {command}`: {len(among.turns):,} turns among {size:,} other memories."
    parts = ["### A crowd: what recall's caps lose", f"{laid} {common}", crowd.INTRO, crowd.report(answers)]
    show("crowd", "\n\n".join(parts), write=write)


@app.command("chart")
def chart_(data: Folder, keep: Keep = None, svg: Annotated[Path, typer.Option(help="Into this file.")] = CHART) -> None:
    """Draw what longer answers find and cost, FirmMem's and plain FTS5's: LoCoMo and LifeBench."""
    names = ("LoCoMo", "LifeBench, English", "LifeBench, Chinese")
    with kept(keep) as folder:
        drawn = list(chart.lines(list(zip(names, monolingual(data), chart.TABLES, strict=True)), folder))
    svg.write_text("\n".join(chart.drawing(drawn)) + "\n", encoding="utf-8", newline="\n")
    typer.echo("\n".join(map(chart.told, drawn)))


def monolingual(data: Path) -> list[tasks.Task]:
    """Return LoCoMo and LifeBench, each asked in its own language."""
    english, chinese = data / "lifebench" / "lb_en.json", data / "lifebench" / "lb_zh.json"
    ways = tasks.Ways()
    return [
        tasks.locomo(data / "locomo" / "locomo_0_4.json", ways),
        *(tasks.lifebench(file, file, None, ways) for file in (english, chinese)),
    ]


if __name__ == "__main__":
    app()
