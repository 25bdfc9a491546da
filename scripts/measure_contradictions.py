"""Measures how many contradictions a write notices, and how many pairs that are none it takes for one.

    python scripts/measure_contradictions.py
    python scripts/measure_contradictions.py --without-model --show

The pairs are in scripts/evaluation/pairs, written before the rule was. Half of them, by a hash, were looked at while it
was built (seen), as were those of practice; the other half (unseen) were not. Each pair is written by the product's own
code in a namespace of its own; for `among others` the older halves of all pairs of a language are in one namespace.
`With the model` is how core facts are compared; other writes do not wait for the model.
"""

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from evaluation import words_of_0_2_0
from evaluation.cosines import cosines

from firmmem.contract import Author, NewMemory
from firmmem.memory.write.write import store_memory
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, transaction

PAIRS = Path(__file__).parent / "evaluation" / "pairs"
LANGUAGES = {"en": "English", "zh": "Chinese"}
KINDS = ("contradictions", "unrelated", "series")
WRITER = Author("measure", "measure")
NOW = 1_780_000_000.0

app = typer.Typer(help=__doc__, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


class PairOfTexts(NamedTuple):
    """Two statements, the kind of what they are to each other, and how near they are in meaning."""

    group: str
    older: str
    newer: str

    @property
    def seen(self) -> bool:
        """Whether it was looked at while the rule was built."""
        return hashlib.sha256(f"{self.older}\t{self.newer}".encode()).digest()[0] % 2 == 0


class Undone(Exception):  # noqa: N818 - it ends a transaction that is to leave nothing
    pass


def read_pairs(kind: str, language: str) -> list[PairOfTexts]:
    lines = (PAIRS / f"{kind}_{language}.tsv").read_text(encoding="utf-8").splitlines()
    return [PairOfTexts(*line.split("\t")) for line in lines]


def write(connection: Connection, text: str, namespace: str, near: tuple[tuple[int, float], ...] = ()) -> set[int]:
    """Write a text, and return its id and those that it is said to contradict."""
    written = store_memory(connection, NewMemory(text, "draft", namespace, near=near), WRITER, Settings(), now=NOW)
    return {written.id, *(-quote.id for quote in written.conflicting)}


def noticed_alone(connection: Connection, pairs: list[PairOfTexts], near: list[float] | None) -> list[bool]:
    found = []
    for number, pair in enumerate(pairs):
        with suppress(Undone), transaction(connection):
            [older] = write(connection, pair.older, "pair")
            close = ((older, near[number]),) if near else ()
            found.append(-older in write(connection, pair.newer, "pair", close))
            raise Undone
    return found


def noticed_among_others(connection: Connection, pairs: list[PairOfTexts]) -> list[bool]:
    found = []
    with suppress(Undone), transaction(connection):
        ids = [max(write(connection, pair.older, "all")) for pair in pairs]
        for older, pair in zip(ids, pairs, strict=True):
            connection.execute("SAVEPOINT one")
            found.append(-older in write(connection, pair.newer, "all"))
            connection.execute("ROLLBACK TO one")
        raise Undone
    return found


def rows(connection: Connection, *, model: bool, show: bool) -> Iterator[tuple[str, ...]]:
    for language, name in LANGUAGES.items():
        for kind in KINDS:
            pairs = read_pairs(kind, language)
            near = cosines([(pair.older, pair.newer) for pair in pairs]) if model else None
            columns = [
                [words_of_0_2_0.contradicts(pair.older, pair.newer) for pair in pairs],
                noticed_alone(connection, pairs, None),
                noticed_alone(connection, pairs, near) if near else None,
                noticed_among_others(connection, pairs) if kind == "contradictions" else None,
            ]
            for seen in (True, False):
                yield (
                    f"{name}, {kind}", "seen" if seen else "unseen", str(sum(pair.seen == seen for pair in pairs)),
                    *(share(column, [pair.seen == seen for pair in pairs]) for column in columns),
                )  # fmt: skip
            if show:
                report(pairs, columns[1] or [], wanted=kind == "contradictions")


def share(column: list[bool] | None, chosen: list[bool]) -> str:
    if column is None:
        return "–"
    kept = [value for value, wanted in zip(column, chosen, strict=True) if wanted]
    return f"{100 * sum(kept) / len(kept):.0f} %"


def report(pairs: list[PairOfTexts], noticed: list[bool], *, wanted: bool) -> None:
    for pair, found in zip(pairs, noticed, strict=True):
        if pair.seen and found != wanted:  # the others stay unseen
            typer.echo(f"  {pair.group}: {pair.older} / {pair.newer}", err=True)


@app.command()
def main(
    without_model: Annotated[bool, typer.Option("--without-model", help="Leave the model's column out.")] = False,
    show: Annotated[bool, typer.Option("--show", help="List the seen pairs that are judged wrongly.")] = False,
) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        connection = open_connection(Settings(db=Path(folder) / "pairs.db"))
        typer.echo("| pairs | | n | words of 0.2.0 | now | with the model | among others |")
        typer.echo("|---|---|---|---|---|---|---|")
        for row in rows(connection, model=not without_model, show=show):
            typer.echo(f"| {' | '.join(row)} |")
        connection.close()


if __name__ == "__main__":
    app()
