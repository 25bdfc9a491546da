"""What a measurement tells: its tables printed, and kept in scripts/RESULTS.md where asked to."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import documents
import typer

from evaluation import histories, predictors, report, reuse, tasks
from evaluation.asking import Answers, measured
from evaluation.sets import Collection

RESULTS = Path(__file__).resolve().parents[1] / "RESULTS.md"


def tell(task: tasks.Task, keep: Path | None, *, write: bool) -> Answers:
    """Measure one set, print its tables, keep them where asked to, and return the answers."""
    with kept(keep) as folder:
        answers, elsewhere = measured(task, folder)
    parts = [
        f"### {task.title}",
        f"`python scripts/evaluate.py {task.command}`: {size(task.collections)}",
        report.ways(answers, capped=task.capped),
        report.differences(answers, capped=task.capped),
        report.categories(answers, capped=task.capped),
        of_elsewhere(elsewhere),
    ]
    show(task.name, "\n\n".join(part for part in parts if part), write=write)
    return answers


def show(name: str, text: str, *, write: bool) -> None:
    """Print a part of the results, and keep it where asked to."""
    typer.echo(f"\n{text}\n")
    if write:
        documents.between(RESULTS, name, text)


@contextmanager
def kept(folder: Path | None) -> Iterator[Path]:
    """Give the folder for what is written: the one that is named, or one that is gone afterwards."""
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    else:
        with tempfile.TemporaryDirectory() as passing:
            yield Path(passing)


def tell_reuse(files: Sequence[Path], *, write: bool) -> None:
    """Measure every way to tell what is used next, print the table, and keep it where asked to."""
    read = [histories.read(file) for file in files]
    found = {name: reuse.measured(name, new, read) for name, new in predictors.ALL.items()}
    command = f"`python scripts/evaluate.py reuse {' '.join(file.name for file in files)}`"
    days = sum(len(history.sessions) for history in read)
    text = f"### Re-use: what is used next\n\n{command}: {days:,} active days.\n\n{reuse.report(read, found)}"
    show("reuse", text, write=write)


def size(collections: Sequence[Collection]) -> str:
    """Return how much was written and asked, and how much of it not as the set has it."""
    items = [item for each in collections for item in each.items]
    questions = sum(len(each.questions) for each in collections)
    spaces = "1 namespace" if len(collections) == 1 else f"{len(collections)} namespaces"
    transcripts = sum(item.retold for item in items)
    told = f" {transcripts} of the memories are transcripts and were written on one line." if transcripts else ""
    return f"{len(items):,} memories in {spaces}, {questions:,} questions.{told}"


def of_elsewhere(elsewhere: Answers) -> str:
    """Return how often it was said that nothing is relevant, where nothing was."""
    if not elsewhere:
        return ""
    [count] = {len(answers) for answers in elsewhere.values()}
    told = "; ".join(f"{name}: {report.nothing(answers):.1%}" for name, answers in elsewhere.items())
    return f"Asked another namespace's {count:,} questions, it answered with nothing: {told}."
