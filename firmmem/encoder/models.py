"""Which encoder turns texts into vectors: found among the files of this machine, checked, never downloaded.

A model is a folder with a card, `firmmem_model.json`. They are looked for in the distribution
`firmmem-models`, then in `models/` next to the package (a checkout). Any other folder can be given by its
path: one with a card, or an ONNX export of sentence-transformers, whose own files say how it is used.
"""

import hashlib
import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from firmmem.errors import ModelError

DEFAULT = "multilingual-e5-small-zh-en-q4"
CARD = "firmmem_model.json"
CONFIG = "config.json"
POOLING = {  # how an export's configuration calls what can be computed here
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
}
INSTALL = (
    'pip install "git+https://github.com/jiayoupengpeng/firmmem-mcp#subdirectory=models", '
    "or point FIRMMEM_MODEL_DIR at a model"
)


class Model(BaseModel):
    """An encoder's folder and how it is used: the fields of its card.

    `languages` are those it may score, none meaning any. `language_means` are subtracted from the vectors of
    texts in that language. `lo` and `hi` are the cosines that count as 0 and as 1. `tokenizer` is
    `unigram` where firmmem.encoder.unigram reads tokenizer.json in place of the tokenizers library.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    folder: Path
    dimension: int = Field(gt=0)
    graph: str = "model.onnx"
    pooling: Literal["mean", "cls", "max"] = "mean"
    tokenizer: Literal["library", "unigram"] = "library"
    max_tokens: int = Field(default=256, gt=2)
    query_prefix: str = ""
    document_prefix: str = ""
    languages: tuple[str, ...] = ()
    language_means: dict[str, tuple[float, ...]] = {}
    lo: float = 0.0
    hi: float = 0.8
    files: dict[str, str]
    licence: str = "unknown"
    source: dict[str, str] = {}

    @property
    def fingerprint(self) -> str:
        """What a stored vector depends on, as one hash: the files and how they are used."""
        fields = self.model_dump(mode="json", exclude={"folder", "languages", "lo", "hi", "licence", "source"})
        return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def find_model(name: str = "", folder: str = "") -> Model:
    """The model in `folder`, else the one called `name`, else the default; ModelError where there is none.

    It reads the card only, which `verify` holds the files to. Of an export it reads every byte, to know it
    again: call it off the event loop.
    """
    if folder:
        return _read_model(Path(folder).expanduser())
    wanted = name or DEFAULT
    present = list_models()
    if wanted not in present:
        others = f"; there are {', '.join(sorted(present))}" if present else f"; {INSTALL}"
        raise ModelError(f"There is no model {wanted} on this machine{others}.")
    return _read_model(present[wanted])


def list_models() -> dict[str, Path]:
    """The names of the models on this machine, and their folders."""
    found: dict[str, Path] = {}
    for shelf in _model_folders():
        for card in sorted(shelf.glob(f"*/{CARD}")):
            found.setdefault(card.parent.name, card.parent)
    return found


def verify_model(model: Model) -> None:
    """Hold the model's files to the hashes of its card; ModelError names the first that differs."""
    for name, expected in model.files.items():
        try:
            found = _sha256(model.folder / name)
        except OSError as reason:
            raise ModelError(f"The model {model.id} lacks its file {name}: {INSTALL}.") from reason
        if found != expected:
            raise ModelError(f"The file {name} of the model {model.id} has been altered: {INSTALL}.")


def _model_folders() -> Iterator[Path]:
    """The folders that hold models, the first to look in first."""
    installed = find_spec("firmmem_models")
    yield from map(Path, (installed and installed.submodule_search_locations) or ())
    yield Path(__file__).resolve().parents[2] / "models"


def _read_model(folder: Path) -> Model:
    """The model in a folder; ModelError when its files don't say how it is used."""
    try:
        card = _json(folder / CARD) or _export(folder)
        return Model.model_validate({**card, "folder": folder})
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as reason:
        detail = reason.errors()[0]["msg"] if isinstance(reason, ValidationError) else reason
        raise ModelError(f"There is no usable model in {folder} ({detail}): {INSTALL}.") from reason


def _export(folder: Path) -> dict[str, Any]:
    """What a sentence-transformers export says of itself, as the fields of a card."""
    graph = _graph(folder)
    transformer = _json(folder / "sentence_bert_config.json")
    pooling = _json(folder / _pooling_folder(folder) / CONFIG)
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts", {})
    files = [graph, *graph.parent.glob(f"{graph.name}_data"), folder / "tokenizer.json"]
    return {
        "id": folder.resolve().name,
        "graph": graph.relative_to(folder).as_posix(),
        "dimension": pooling.get("word_embedding_dimension") or _json(folder / CONFIG).get("hidden_size", 0),
        "pooling": _pooling(pooling),
        "max_tokens": transformer.get("max_seq_length") or 256,
        "query_prefix": prompts.get("query", ""),
        "document_prefix": prompts.get("document", prompts.get("passage", "")),
        "files": {path.relative_to(folder).as_posix(): _sha256(path) for path in files},
    }


def _graph(folder: Path) -> Path:
    """The ONNX file of an export: model.onnx, else the only one there is."""
    graphs = sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])
    plain = [path for path in graphs if path.name == "model.onnx"]
    if not plain and len(graphs) != 1:
        raise ValueError("it has neither a model.onnx nor one other ONNX file")
    return (plain or graphs)[0]


def _pooling_folder(folder: Path) -> str:
    """Where the pooling is described; an export with a layer after it can't be used."""
    parts = _json(folder / "modules.json") or []
    kinds = {part["type"].rpartition(".")[2]: part["path"] for part in parts}
    if unknown := kinds.keys() - {"Transformer", "Pooling", "Normalize"}:
        raise ValueError(f"it needs a layer {', '.join(sorted(unknown))}")
    return str(kinds.get("Pooling", "1_Pooling"))


def _pooling(config: dict[str, Any]) -> str:
    """The one way of pooling that is switched on; the mean where nothing is said."""
    chosen = [key for key, value in config.items() if key.startswith("pooling_mode_") and value]
    if len(chosen) > 1 or not POOLING.keys() >= set(chosen):
        raise ValueError(f"it pools by {' and '.join(chosen)}")
    return POOLING[chosen[0]] if chosen else "mean"


def _json(path: Path) -> Any:
    """What a JSON file holds, or an empty dictionary where there is no file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
