"""An encoder is found on this machine or not at all, and is what its card says or refused."""

import hashlib
import json
import tomllib
from pathlib import Path

import pytest
from support.checkout import CHECKOUT

from firmmem.encoder import models
from firmmem.errors import ModelError

SHIPPED = CHECKOUT / "models"


def sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model's folder: a card and two files, none of them an encoder."""
    files = {"model.onnx": b"a graph", "tokenizer.json": b"{}"}
    for name, raw in files.items():
        (tmp_path / name).write_bytes(raw)
    card = {"id": "tiny", "dimension": 4, "files": {name: sha256(raw) for name, raw in files.items()}}
    (tmp_path / models.CARD).write_text(json.dumps(card))
    return tmp_path


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """The files that sentence-transformers writes round an ONNX graph."""
    for name, told in {
        "modules.json": [
            {"path": "", "type": "sentence_transformers.models.Transformer"},
            {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
        ],
        "1_Pooling/config.json": {"word_embedding_dimension": 768, "pooling_mode_cls_token": True},
        "sentence_bert_config.json": {"max_seq_length": 512, "do_lower_case": False},
        "config_sentence_transformers.json": {"prompts": {"query": "search: ", "document": "text: "}},
        "tokenizer.json": {},
        "onnx/model.onnx": "a graph",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(told))
    return tmp_path


def test_a_folder_with_a_card_is_a_model(folder: Path) -> None:
    model = models.find_model(folder=str(folder))
    models.verify_model(model)
    assert (model.id, model.dimension, model.folder) == ("tiny", 4, folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_one_byte_altered_is_refused_by_name(folder: Path, name: str) -> None:
    raw = bytearray((folder / name).read_bytes())
    raw[0] ^= 1
    (folder / name).write_bytes(raw)
    with pytest.raises(ModelError, match=rf"{name} .*tiny has been altered.*\.$"):
        models.verify_model(models.find_model(folder=str(folder)))


def test_a_missing_file_is_refused_by_name(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"tiny lacks its file tokenizer\.json"):
        models.verify_model(models.find_model(folder=str(folder)))


@pytest.mark.parametrize("card", ["", "{", "[]", "null", '{"id": "tiny"}', '{"dimension": "many"}', "\udcff"])
def test_a_damaged_card_is_told_in_one_sentence(folder: Path, card: str) -> None:
    (folder / models.CARD).write_bytes(card.encode(errors="surrogateescape"))
    with pytest.raises(ModelError, match=r"^There is no usable model in [^\n]*\.$"):
        models.find_model(folder=str(folder))


@pytest.mark.parametrize("place", ["", "nowhere", "model.onnx"])
def test_a_folder_without_a_model_is_told(tmp_path: Path, place: str) -> None:
    with pytest.raises(ModelError, match="There is no usable model"):
        models.find_model(folder=str(tmp_path / place))


def test_an_unknown_name_is_answered_with_those_there_are(folder: Path, monkeypatch) -> None:
    monkeypatch.setattr(models, "_model_folders", lambda: iter([folder.parent]))
    with pytest.raises(ModelError, match=rf"no model other on this machine; there are .*{folder.name}"):
        models.find_model("other")


def test_without_any_model_the_answer_says_what_to_install(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(models, "_model_folders", lambda: iter([tmp_path / "none"]))
    with pytest.raises(ModelError, match="subdirectory=models"):
        models.find_model()


def test_the_installed_models_come_before_those_of_a_checkout(folder: Path, monkeypatch) -> None:
    other = folder / "shelf"
    (other / folder.name).mkdir(parents=True)
    (other / folder.name / models.CARD).write_text("{}")
    monkeypatch.setattr(models, "_model_folders", lambda: iter([folder.parent, other]))
    assert models.list_models()[folder.name] == folder


def test_an_export_says_how_it_is_used(export: Path) -> None:
    model = models.find_model(folder=str(export))
    models.verify_model(model)
    assert model.graph == "onnx/model.onnx"
    assert (model.dimension, model.pooling, model.max_tokens) == (768, "cls", 512)
    assert (model.query_prefix, model.document_prefix) == ("search: ", "text: ")
    assert set(model.files) == {"onnx/model.onnx", "tokenizer.json"}


def test_an_export_that_says_little_is_taken_for_a_mean(export: Path) -> None:
    for name in (
        "modules.json",
        "1_Pooling/config.json",
        "sentence_bert_config.json",
        "config_sentence_transformers.json",
    ):
        (export / name).unlink()
    (export / "config.json").write_text('{"hidden_size": 384}')
    model = models.find_model(folder=str(export))
    assert (model.dimension, model.pooling, model.max_tokens) == (384, "mean", 256)
    assert (model.query_prefix, model.document_prefix, model.languages) == ("", "", ())


@pytest.mark.parametrize(
    ("name", "told", "why"),
    [
        ("modules.json", [{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}], "a layer Dense"),
        ("1_Pooling/config.json", {"pooling_mode_lasttoken": True}, "pooling_mode_lasttoken"),
        (
            "1_Pooling/config.json",
            {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
            "cls_token and",
        ),
        ("modules.json", {"path": "2_Dense"}, "no usable model"),
    ],
)
def test_an_export_that_needs_more_is_refused(export: Path, name: str, told: object, why: str) -> None:
    (export / name).write_text(json.dumps(told))
    with pytest.raises(ModelError, match=why):
        models.find_model(folder=str(export))


def test_an_export_with_several_graphs_and_no_plain_one_is_refused(export: Path) -> None:
    (export / "onnx/model.onnx").rename(export / "onnx/a.onnx")
    assert models.find_model(folder=str(export)).graph == "onnx/a.onnx"
    (export / "onnx/b.onnx").write_text("")
    with pytest.raises(ModelError, match=r"neither a model\.onnx"):
        models.find_model(folder=str(export))


def test_the_fingerprint_changes_with_what_a_vector_depends_on(folder: Path) -> None:
    model = models.find_model(folder=str(folder))
    assert model.fingerprint == models.find_model(folder=str(folder)).fingerprint
    for change in ({"query_prefix": "query: "}, {"files": {}}, {"language_means": {"en": (0.5,) * 4}}):
        assert model.model_copy(update=change).fingerprint != model.fingerprint
    assert model.model_copy(update={"hi": 0.5, "folder": Path("/")}).fingerprint == model.fingerprint


def test_the_hashes_of_an_export_are_part_of_its_fingerprint(export: Path) -> None:
    before = models.find_model(folder=str(export)).fingerprint
    (export / "onnx/model.onnx").write_text("another graph")
    assert models.find_model(folder=str(export)).fingerprint != before


@pytest.mark.skipif(not SHIPPED.is_dir(), reason="models/ is not beside the package")
class TestShipped:
    @pytest.mark.parametrize("name", [models.DEFAULT, "all-MiniLM-L6-v2-q8"])
    def test_each_model_is_what_its_card_says(self, name: str) -> None:
        model = models.find_model(folder=str(SHIPPED / name))
        models.verify_model(model)
        assert model.id == name
        assert model.licence in (SHIPPED / "README.md").read_text()
        assert (model.folder / "LICENSE").is_file()
        assert all(len(mean) == model.dimension for mean in model.language_means.values())

    def test_every_model_is_in_the_data_only_distribution(self) -> None:
        told = tomllib.loads((SHIPPED / "pyproject.toml").read_text())
        folders = {card.parent.name for card in SHIPPED.glob(f"*/{models.CARD}")}
        assert folders <= set(told["tool"]["hatch"]["build"]["only-include"])
