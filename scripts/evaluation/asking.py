"""Every question of a set in every way, each way of a copy of the same file."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import anyio

from evaluation import plain, sets, tool, votes
from evaluation.measures import Answer
from evaluation.sets import Collection
from evaluation.tasks import MODEL, Task
from firmmem.settings import Settings

LONG_TEXTS = 20_000  # characters: a cap that refuses no abstract and no turn of the sets that have long ones

Answers = dict[str, list[Answer]]  # by way of asking


def measured(task: Task, folder: Path) -> tuple[Answers, Answers]:
    """Write a set into a folder and ask every question in every way and of the plain tables.

    The second answers are to the questions of another namespace, with default settings and with the model.
    """
    collections = task.collections
    ids, settings = written(collections, folder)
    if task.ways.feedback:
        settings = voted(collections, ids, settings)
    if task.ways.model:
        anyio.run(tool.embed_with_progress, settings)  # as `firmmem embed` does
    ways = task.ways.over(settings)
    answers = {way.name: asked(collections, ids, way) for way in ways}
    elsewhere = {}
    if len(collections) > 1 and task.ways.elsewhere:
        others = sets.elsewhere(collections)
        both = [way for way in ways if way.name in ("FirmMem", f"FirmMem{MODEL}")]
        elsewhere = {way.name: asked(others, ids, way) for way in both}
    return answers | {table: list(plain.answers(table, collections)) for table in task.tables}, elsewhere


def written(collections: Sequence[Collection], folder: Path) -> tuple[tool.Ids, Settings]:
    """Write every item into a file in a folder, unless it is there; give the ids and the settings that name it."""
    name = hashlib.sha256(repr([(each.name, each.items) for each in collections]).encode()).hexdigest()[:16]
    settings, kept = defaults(folder / f"{name}.db"), folder / f"{name}.json"
    if not kept.exists():
        for partial in folder.glob(f"{name}.db*"):
            partial.unlink()
        kept.write_text(json.dumps(anyio.run(tool.write, collections, settings)), encoding="utf-8")
    return json.loads(kept.read_text(encoding="utf-8")), settings


def voted(collections: Sequence[Collection], ids: tool.Ids, settings: Settings) -> Settings:
    """Cast votes on a copy of what was written, and return the settings that name it."""
    with_votes = settings.model_copy(update={"db": settings.db.with_suffix(".voted.db")})
    for earlier in settings.db.parent.glob(f"{with_votes.db.name}*"):
        earlier.unlink()
    shutil.copyfile(settings.db, with_votes.db)
    anyio.run(votes.cast, collections, ids, with_votes)
    return with_votes


def defaults(file: Path) -> Settings:
    """Return the default settings whatever the environment says, but for the cap on long texts."""
    return Settings.model_construct(db=file, summary_cap=LONG_TEXTS)


def asked(collections: Sequence[Collection], ids: tool.Ids, way: tool.Way) -> list[Answer]:
    """Ask in one way, of a copy of the file that was written."""
    file = way.settings.db
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        own = way.settings.model_copy(update={"db": Path(folder) / file.name})
        shutil.copyfile(file, own.db)
        return anyio.run(tool.ask, list(collections), ids, replace(way, settings=own))
