"""Measure what is refused as a transcript or a secret or marked as an order, on sets of our own and on real texts.

    python scripts/measure_refusal.py                     the sets in scripts/screening, by group and half
    python scripts/measure_refusal.py --missed seen       what is judged wrongly in one half of them
    python scripts/measure_refusal.py DATA                a folder with locomo/, kdconv/, lifebench/ and the like

Dialogues are written down as a client would send them, 2, 3, 4 and 6 turns at a time, with three kinds of labels:
all of those should be refused. Single texts should not, but for records that are a dialogue themselves. A set that is
not in the folder is left out.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Annotated, Any

import documents
import typer
from screening_sets import Sample, read_injections, read_samples

from firmmem.text.screening import reads_like_instruction, secret_in
from firmmem.text.transcript import is_transcript

TURNS = (2, 3, 4, 6)
LABELS = {"User, Assistant": ("User", "Assistant"), "用户, 助手": ("用户", "助手"), "their names": ()}
Turn = tuple[str, str]  # who, what

SETS: Mapping[str, tuple[Callable[[], Iterator[Sample]], Callable[[str], bool], str]] = {
    "injections": (read_injections, reads_like_instruction, "marked"),
    "harmless notes and rules": (partial(read_samples, "harmless"), reads_like_instruction, "marked in error"),
    "chats": (partial(read_samples, "chats"), is_transcript, "refused"),
    "texts like chats": (partial(read_samples, "lookalikes"), is_transcript, "refused in error"),
    "secrets": (partial(read_samples, "secrets"), lambda text: bool(secret_in(text)), "refused"),
    "texts like secrets": (partial(read_samples, "no_secrets"), lambda text: bool(secret_in(text)), "refused in error"),
}


def measure(
    data: Annotated[Path | None, typer.Argument(help="The folder of the sets.", exists=True, file_okay=False)] = None,
    *,
    missed: Annotated[str, typer.Option(help="Print what is judged wrongly in this half: seen or unseen.")] = "",
) -> None:
    """Print how many transcripts of each length are refused, and how many single texts are."""
    if missed:
        for name, sample in wrongly_judged(unseen=missed == "unseen"):
            typer.echo(f"{name}, {sample.group}: {sample.text!r}")
    elif data is None:
        typer.echo(documents.table(("Texts", "Which", "seen half", "unseen half", "all"), list(screened())))
    else:
        measure_folder(data)


def screened() -> Iterator[tuple[str, ...]]:
    """Yield, for each set and each group of it, how many are caught in either half and in all."""
    for name, (samples, is_caught, word) in SETS.items():
        caught = [(sample, is_caught(sample.text)) for sample in samples()]
        groups = list(dict.fromkeys(sample.group for sample, _ in caught))
        for group in [None, *(groups if len(groups) > 1 else ())]:
            mine = [(sample.unseen, found) for sample, found in caught if group in (None, sample.group)]
            halves = [
                [found for unseen, found in mine if unseen in half] for half in ((False,), (True,), (False, True))
            ]
            yield f"{name}: {word}", group or "**all**", *(f"{sum(half)} of {len(half)}" for half in halves)


def wrongly_judged(*, unseen: bool) -> Iterator[tuple[str, Sample]]:
    """Yield the samples of one half that are not caught but should be, and the other way round."""
    for name, (samples, is_caught, word) in SETS.items():
        for sample in samples():
            if sample.unseen == unseen and is_caught(sample.text) is word.endswith("in error"):
                yield name, sample


def measure_folder(data: Path) -> None:
    """Print what becomes of the dialogues and texts in a folder."""
    rows = [
        (name, labels, *(share(written(dialogues, labels, turns)) for turns in TURNS))
        for name, dialogues in sets(data)
        for labels in LABELS
    ]
    print(documents.table(("Dialogues", "Labels", *(f"{turns} turns" for turns in TURNS)), rows))
    singles = [(name, *(f"{count:,}" for count in refused(single))) for name, single in texts(data)]
    print(documents.table(("Texts", "all", "a transcript", "a secret", "an order"), singles))


def sets(data: Path) -> Iterator[tuple[str, list[list[Turn]]]]:
    if (path := data / "locomo/locomo_0_4.json").exists():
        yield "LoCoMo", list(locomo(path))
    if paths := sorted(data.glob("kdconv/*_dev.json")):
        yield "KdConv", [dialogue for path in paths for dialogue in kdconv(path)]
    for path in sorted(data.glob("memorybank/memory_bank_*.json")):
        yield f"MemoryBank, {path.stem[-2:]}", list(memorybank(path))
    if (path := data / "longmemeval/sessions.jsonl").exists():
        yield "LongMemEval", list(longmemeval(path))


def locomo(path: Path) -> Iterator[list[Turn]]:
    for record in read(path):
        for session in record["conversation"].values():
            if isinstance(session, list):
                yield [(turn["speaker"], turn["text"]) for turn in session]


def kdconv(path: Path) -> Iterator[list[Turn]]:
    for record in read(path):
        yield list(zip(cycle(("小李", "小王")), (turn["message"] for turn in record["messages"]), strict=False))


def memorybank(path: Path) -> Iterator[list[Turn]]:
    for name, person in read(path).items():
        for day in person["history"].values():
            yield [turn for each in day for turn in ((name.strip(), each["query"]), ("Companion", each["response"]))]


def longmemeval(path: Path) -> Iterator[list[Turn]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield [(turn["role"].title(), turn["content"]) for turn in json.loads(line)["turns"]]


def texts(data: Path) -> Iterator[tuple[str, list[str]]]:
    for name, dialogues in sets(data):
        yield f"{name}: turns", [text for dialogue in dialogues for _, text in dialogue]
    for path in sorted(data.glob("lifebench/lb_*.json")):
        yield f"LifeBench, {path.stem[-2:]}: records", [text for person in read(path) for text in person["docs"]]
    if (path := data / "cmrc2018/cmrc2018_dev.json").exists():
        yield "CMRC 2018: every string", list(strings(read(path)))
    if (path := data / "cranfield/cran.all.1400").exists():
        yield "Cranfield: abstracts", path.read_text(encoding="utf-8").split("\n.I ")


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def written(dialogues: list[list[Turn]], labels: str, turns: int) -> Iterator[str]:
    """Yield the pieces of dialogues, one turn a line."""
    for dialogue in dialogues:
        for start in range(0, len(dialogue) - turns + 1, turns):
            piece = dialogue[start : start + turns]
            names = cycle(LABELS[labels]) if LABELS[labels] else (name for name, _ in piece)
            yield "\n".join(f"{name}: {text}" for name, (_, text) in zip(names, piece, strict=False))


def share(pieces: Iterator[str]) -> str:
    found = Counter(is_transcript(piece) for piece in pieces)
    return f"{found[True]:,} of {found.total():,}"


def refused(single: list[str]) -> tuple[int, int, int, int]:
    secrets = sum(1 for text in single if secret_in(text))
    return len(single), sum(map(is_transcript, single)), secrets, sum(map(reads_like_instruction, single))


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    typer.run(measure)
