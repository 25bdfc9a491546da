"""Compare ranking by streams with looking at every memory, over random stores and recalls; 0 mismatches are due."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.random_stores import Mismatch, checked_stores

from firmmem.memory.recall import by_score
from firmmem.store.sqlite import SQLITE_VERSION

QUERIES = 12  # of one store


def main(
    queries: Annotated[int, typer.Option(min=1, help="How many recalls to compare.")] = 10_000,
    seed: Annotated[int, typer.Option(help="The first store's seed: another one gives other stores.")] = 1_000_000,
) -> None:
    """Compare until so many recalls were compared; exit with 1 if any two rankings differ."""
    wrong: list[Mismatch] = []
    done = 0
    with tempfile.TemporaryDirectory() as folder, tqdm(total=queries, unit=" recalls") as bar:
        while done < queries:
            stores = range(seed, seed + min(100, -(-(queries - done) // QUERIES)))
            for asked, found in checked_stores(Path(folder), stores, QUERIES):
                wrong += found
                done += asked
                bar.update(asked)
                bar.set_postfix(mismatches=len(wrong))
            seed = stores.stop
            by_score.FILTERED = -1 - by_score.FILTERED  # filters by their own index, then by the streams, in turn
    for each in wrong[:10]:
        print(each)
    print(f"{done} recalls, {len(wrong)} mismatches, SQLite {'.'.join(map(str, SQLITE_VERSION))}")
    raise typer.Exit(1 if wrong else 0)


if __name__ == "__main__":
    typer.run(main)
