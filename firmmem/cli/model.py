"""`firmmem embed` and `firmmem model`: the encoders, and the vectors they make."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import anyio
import typer

from firmmem.cli.terminal import Commands, Db, Json, choose_file, remark, say, say_json
from firmmem.environment import read_settings
from firmmem.settings import Settings
from firmmem.text.normal_form import count_memories

if TYPE_CHECKING:
    from firmmem.encoder.models import Model

app = typer.Typer(cls=Commands, help="The encoders that find by meaning.", no_args_is_help=True, rich_markup_mode=None)

Name = Annotated[str, typer.Argument(help="A model's name; without one, the model of the settings.")]


def embed(db: Db = None) -> None:
    """Embed every memory that has no vector yet; stopped and started again, it continues where it was."""
    settings, _ = choose_file(db, "")
    if not settings.db.exists():
        say(f"Nothing to embed: {settings.db} does not exist.")
        return
    count = anyio.run(embed_with_progress, settings)
    say(
        f"{count_memories(count)} embedded; every memory has a vector now."
        if count
        else "Every memory has a vector already."
    )


async def embed_with_progress(settings: Settings) -> int:
    """Embed what has no vector, with a progress bar; return how many."""
    from rich.progress import Progress

    from firmmem.encoder.embedding import Encoder, require_runtime
    from firmmem.encoder.models import find_model
    from firmmem.errors import ModelError
    from firmmem.memory.recall.meaning import Meaning
    from firmmem.memory.recall.vectors import Spaces, count_unembedded
    from firmmem.store.database import open_database

    model = find_model(settings.model, settings.model_dir)
    meaning = Meaning(Encoder(model), Spaces(model))
    async with open_database(settings) as database:
        total = await database.read(count_unembedded, model)
        if total:
            require_runtime()
            with Progress() as bar:
                task = bar.add_task(model.id, total=total)
                await meaning.embed_all(database, progress=lambda count: bar.advance(task, count))
        if meaning.off:
            raise ModelError(meaning.off)
    return total


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the models on this machine."""
    from firmmem.encoder.models import DEFAULT, INSTALL, list_models

    present = list_models()
    if as_json:
        say_json(
            [{"name": name, "folder": str(folder), "default": name == DEFAULT} for name, folder in present.items()]
        )
        return
    for name, folder in present.items():
        say(f"{name}{' (the default)' if name == DEFAULT else ''}\t{folder}")
    if not present:
        remark(f"There is no model on this machine: {INSTALL}.")


@app.command()
def verify(name: Name = "") -> None:
    """Compare a model's files with the hashes of its card."""
    from firmmem.encoder.models import verify_model as held

    model = choose_model(name)
    held(model)
    say(f"{model.id}: {len(model.files)} files are as its card says.")


@app.command()
def path(name: Name = "") -> None:
    """Print a model's folder."""
    say(str(choose_model(name).folder))


def choose_model(name: str) -> "Model":
    """Return the model of this name, in this folder, or of the settings."""
    from firmmem.encoder.models import find_model

    settings = read_settings()
    if name and Path(name).is_dir():
        return find_model(folder=name)
    return find_model(name) if name else find_model(settings.model, settings.model_dir)
