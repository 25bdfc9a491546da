"""An encoder built from weights computes what BERT computes, and equal weights give equal bytes."""

import math
from pathlib import Path
from typing import Any

import pytest
from support.checkout import SCRIPTS

np = pytest.importorskip("numpy", reason="numpy builds the encoders, and is not installed")
pytest.importorskip("onnx", reason="onnx builds the encoders, and is not installed")

WIDTH, HEADS, WIDE, WORDS = 64, 4, 128, 50


@pytest.fixture
def bert(monkeypatch) -> Any:
    monkeypatch.syspath_prepend(SCRIPTS)
    return pytest.importorskip("bert_onnx")


def weights(bert: Any, bits: int) -> dict[str, Any]:
    random = np.random.default_rng(3)

    def matrix(*shape: int) -> Any:
        return (random.standard_normal(shape) * 0.2).astype(np.float32)

    words = matrix(WORDS, WIDTH)
    found = {
        "embeddings.word_embeddings.weight": _halved(bert, words) if bits == 4 else words,
        "embeddings.position_embeddings.weight": matrix(16, WIDTH),
        "embeddings.token_type_embeddings.weight": matrix(2, WIDTH),
    }
    layer = "encoder.layer.0."
    sizes = {f"attention.self.{part}": (WIDTH, WIDTH) for part in ("query", "key", "value")}
    sizes |= {"attention.output.dense": (WIDTH, WIDTH)}
    sizes |= {"intermediate.dense": (WIDE, WIDTH), "output.dense": (WIDTH, WIDE)}
    for name, (rows, columns) in sizes.items():
        found[f"{layer}{name}.weight"] = bert.quantise(matrix(rows, columns), bits)
        found[f"{layer}{name}.bias"] = matrix(rows)
    for name in ("embeddings", layer + "attention.output", layer + "output"):
        found[name + ".LayerNorm.weight"], found[name + ".LayerNorm.bias"] = 1 + matrix(WIDTH), matrix(WIDTH)
    return found


def _halved(bert: Any, words: Any) -> Any:
    """4-bit blocks whose scales fit in float16, as the file keeps them."""
    blocks = bert.quantise(words, 4)
    return bert.Blocks(blocks.codes, blocks.scales.astype(np.float16).astype(np.float32), 4)


def encode(weights: dict[str, Any], ids: list[int]) -> Any:
    """BERT in numpy, for one text without padding."""
    dense = {name: value.dense() if hasattr(value, "dense") else value for name, value in weights.items()}

    def linear(state: Any, name: str) -> Any:
        return state @ dense[name + ".weight"].T + dense[name + ".bias"]

    def normalised(state: Any, name: str) -> Any:
        state = state - state.mean(-1, keepdims=True)
        state = state / np.sqrt(np.square(state).mean(-1, keepdims=True) + 1e-12)
        return state * dense[name + ".LayerNorm.weight"] + dense[name + ".LayerNorm.bias"]

    def heads(name: str) -> Any:
        projected = linear(state, f"encoder.layer.0.attention.self.{name}")
        return projected.reshape(len(ids), HEADS, -1).swapaxes(0, 1)

    state = dense["embeddings.word_embeddings.weight"][ids]
    state = state + dense["embeddings.position_embeddings.weight"][: len(ids)]
    state = normalised(state + dense["embeddings.token_type_embeddings.weight"][0], "embeddings")
    scores = np.exp(heads("query") @ heads("key").swapaxes(1, 2) / np.sqrt(WIDTH / HEADS))
    mixed = (scores / scores.sum(-1, keepdims=True) @ heads("value")).swapaxes(0, 1).reshape(len(ids), WIDTH)
    state = linear(mixed, "encoder.layer.0.attention.output.dense") + state
    state = normalised(state, "encoder.layer.0.attention.output")
    wide = linear(state, "encoder.layer.0.intermediate.dense")
    wide = wide * (1 + np.vectorize(math.erf)(wide / np.sqrt(2))) / 2
    state = normalised(linear(wide, "encoder.layer.0.output.dense") + state, "encoder.layer.0.output")
    mean = state.mean(0)
    return mean / np.linalg.norm(mean)


@pytest.mark.parametrize("bits", [4, 8])
def test_the_graph_computes_bert_whatever_the_padding(bert: Any, tmp_path: Path, bits: int) -> None:
    onnxruntime = pytest.importorskip("onnxruntime", reason="the extra `semantic` is not installed")
    found = weights(bert, bits)
    bert.save(bert.build_encoder(bert.Shape(WIDTH, 1, HEADS, 1e-12), found), tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    ids, mask = np.array([[7, 3, 49], [5, 0, 0]]), np.array([[1, 1, 1], [1, 0, 0]])
    (vectors,) = session.run(["sentence_embedding"], {"input_ids": ids, "attention_mask": mask})
    assert vectors[0] @ encode(found, [7, 3, 49]) > 0.999
    assert vectors[1] @ encode(found, [5]) > 0.999


def test_equal_weights_give_equal_bytes(bert: Any, tmp_path: Path) -> None:
    for name in ("one", "two"):
        model = bert.build_encoder(bert.Shape(WIDTH, 1, HEADS, 1e-12), weights(bert, 4))
        bert.save(model, tmp_path / name, source="a test")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("bits", [4, 8])
def test_a_quantised_value_is_within_a_step_and_the_extreme_is_exact(bert: Any, bits: int) -> None:
    matrix = np.random.default_rng(5).standard_normal((8, 64)).astype(np.float32)
    matrix[0] = 0
    blocks = bert.quantise(matrix, bits)
    apart = np.abs(blocks.dense() - matrix).reshape(8, 2, 32)
    assert (apart <= np.abs(blocks.scales)[..., None]).all()
    extreme = np.abs(matrix).reshape(8, 2, 32).argmax(-1)[..., None]
    assert np.take_along_axis(apart, extreme, -1).max() < 1e-6
