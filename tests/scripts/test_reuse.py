"""Re-use: histories are read as defined, and what is used again and again ranks above what was used once."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from support.checkout import CHECKOUT

SCRIPTS = CHECKOUT / "scripts"
DATA = Path(os.environ.get("FIRMMEM_DATA") or CHECKOUT.parent / "shared" / "data")
TRACES = sorted((DATA / "traces").glob("*.tsv"))
DAY = 86_400
START = 15_000 * DAY


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))


def written(file: Path, commits: Iterable[tuple[float, str, list[str]]]) -> Path:
    """Write a history of commits, each at a day, with one status and paths."""
    lines = [
        f"{int(START + day * DAY)}\tcommit{number}\t{status}\t{path}\n"
        for number, (day, status, paths) in enumerate(commits)
        for path in paths
    ]
    file.write_text("".join(lines), encoding="utf-8")
    return file


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    """A year in which two files are touched every week, a new one every day, and many once at the beginning."""
    commits = [(0.5, "A", [f"shelf/{number}" for number in range(25)]), (0.6, "A", ["bench", "lamp"])]
    for day in range(1, 366):
        commits.append((day + 0.4, "A", [f"note/{day}"]))
        if day % 7 == 0:
            commits += [(day + 0.3, "M", ["bench"]), (day + 0.35, "M", ["lamp", "bench"])]
    return written(tmp_path / "workshop.tsv", commits)


def read(file: Path) -> Any:
    from evaluation import histories

    return histories.read(file)


def recall(file: Path, name: str) -> float:
    from evaluation import predictors, reuse

    return reuse.measured(name, predictors.ALL[name], [read(file)]).tested.recall


def test_a_day_ranks_what_was_seen_before_it_and_is_not_deleted(tmp_path: Path) -> None:
    commits = [
        (0.1, "A", ["kept", "gone", "back"]),
        (0.2, "D", ["gone", "back"]),
        (0.3, "A", [f"sweep/{number}" for number in range(31)]),
        (1.0, "M", ["kept", "new"]),
        (1.9999, "A", ["back"]),
        (2.0, "M", ["back"]),
    ]
    first, second, third = read(written(tmp_path / "small.tsv", commits)).sessions
    assert (first.candidates, first.gold, len(first.accesses)) == ((), frozenset(), 5)
    assert (second.candidates, second.gold) == (("kept",), {"kept"})
    assert (set(third.candidates), third.gold) == ({"kept", "new", "back"}, {"back"})
    assert third.begins_at - second.begins_at == DAY


def test_commits_that_stand_out_of_order_are_replayed_by_their_time(tmp_path: Path) -> None:
    commits = [(3.5, "M", ["late"]), (0.5, "A", ["early", "late"]), (2.5, "M", ["early"])]
    sessions = read(written(tmp_path / "out_of_order.tsv", commits)).sessions
    assert [[path for path, _ in each.accesses] for each in sessions] == [["early", "late"], ["early"], ["late"]]


def test_the_area_is_the_share_of_pairs_in_the_right_order() -> None:
    from evaluation.measures import Answer
    from evaluation.reuse import area

    ranks, told = (2, 3, 7), 9
    others = [rank for rank in range(1, told + 1) if rank not in ranks]
    above = sum(mine < other for mine in ranks for other in others)
    assert area(Answer("", ranks, len(ranks), told)) == pytest.approx(above / (len(ranks) * len(others)))


def test_sums_over_uses_are_those_of_their_definitions() -> None:
    from math import exp

    from evaluation.predictors import BaseLevel, DecayedCount

    uses, now = [0.0, 3.5 * DAY, 3.5 * DAY, 20.0 * DAY], 31.0 * DAY
    ages = [(now - at) / DAY for at in uses]
    count, level = DecayedCount(7.0, 120.0), BaseLevel(0.8)
    for at in uses:
        count.use("item", at)
        level.use("item", at)
    assert count.score("item", now) == pytest.approx(sum(exp(-age / 7) + exp(-age / 120) for age in ages))
    assert level.score("item", now) == pytest.approx(sum(age**-0.8 for age in ages))


def test_with_the_gate_a_day_of_use_is_one_review_and_without_it_each_use_is() -> None:
    from evaluation.predictors import FirmMem

    gated, free = FirmMem("draft", 0.9), FirmMem("draft", 1.0)
    for predictor in (gated, free):
        for hour in range(5):
            predictor.use("item", (10 if hour else 0) * DAY + hour * 3600)
    assert gated.lives["item"].recall_count == 1
    assert free.lives["item"].recall_count == 4
    assert 0 < gated.score("item", 20 * DAY) < free.score("item", 20 * DAY) < 1


def test_what_is_used_every_week_ranks_above_what_was_used_once_lately(workshop: Path) -> None:
    assert recall(workshop, "last use") == recall(workshop, "fixed exponential, 30 d")
    for name in ("decayed count, 60 d", "FirmMem, drafts", "FirmMem, drafts, no gate", "FirmMem, validated"):
        assert recall(workshop, name) == 1.0


def test_the_command_prints_every_predictor_for_every_history(workshop: Path) -> None:
    from evaluation import predictors

    command = [sys.executable, SCRIPTS / "evaluate.py", "reuse", workshop, workshop]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "`python scripts/evaluate.py reuse workshop.tsv workshop.tsv`: 732 active days." in done.stdout
    lines = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    assert [line.split(" | ")[0][2:] for line in lines[2:]] == list(predictors.ALL)
    assert all(line.count("|") == 8 - 1 for line in lines)


@pytest.mark.skipif(not TRACES, reason="the data folder is not here: name it in FIRMMEM_DATA")
def test_rfm_predicts_as_well_as_a_decayed_count_of_every_use_and_better_than_the_last_one() -> None:
    from evaluation import predictors, reuse

    histories = [read(file) for file in TRACES]
    last, count, free, gated = (
        reuse.measured(name, predictors.ALL[name], histories).tested
        for name in ("last use", "decayed count, 60 d", "FirmMem, drafts, no gate", "FirmMem, drafts")
    )
    assert free.recall >= count.recall
    assert gated.recall >= free.recall - 0.02
    assert gated.recall >= count.recall - 0.02
    for ours in (free, gated):
        assert all(mine > theirs for mine, theirs in zip(ours.recalls, last.recalls, strict=True))
