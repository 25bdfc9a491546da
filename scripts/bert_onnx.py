"""A BERT sentence encoder as an ONNX graph, from weights in numpy arrays: no torch, no transformers.

The graph takes `input_ids` and `attention_mask` (int64, [batch, tokens]) and gives `sentence_embedding`
(float32, [batch, width], the mean over the mask, of length 1). Its matrices stay quantised in memory:
`MatMulNBits` of onnxruntime's contributed operators multiplies them block by block, so that a text's vector
does not depend on the batch it came in, as it does with onnxruntime's dynamic int8.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

Array = NDArray[Any]

BLOCK = 32  # columns that share one scale: the block of ggml's Q4_0, and MatMulNBits takes it
MASKED = -10_000.0  # added to the scores of padding: their softmax is exactly 0 in float32
OPSET, IR_VERSION = 17, 8  # the oldest that hold every operator used; fixed, since they are part of the bytes


@dataclass(frozen=True)
class Shape:
    """The sizes of a BERT encoder; `eps` belongs to its layer norms."""

    width: int
    layers: int
    heads: int
    eps: float


@dataclass(frozen=True)
class Blocks:
    """A matrix [rows, columns] quantised in blocks along its columns: weight = (code − middle) × scale."""

    codes: Array  # uint8 [rows, columns]
    scales: Array  # float32 [rows, columns / BLOCK]
    bits: int

    def dense(self) -> Array:
        """The matrix as float32."""
        rows, columns = self.codes.shape
        steps = self.codes.astype(np.float32) - 2 ** (self.bits - 1)
        dense: Array = steps.reshape(rows, -1, BLOCK) * self.scales[..., None]
        return dense.reshape(rows, columns)


Weights = Mapping[str, Array | Blocks]


def quantise(matrix: Array, bits: int) -> Blocks:
    """Quantise as ggml does: the value of largest magnitude in a block maps to the lowest code exactly."""
    rows, columns = matrix.shape
    blocks = matrix.astype(np.float32).reshape(rows, columns // BLOCK, BLOCK)
    middle = 2 ** (bits - 1)
    extreme = np.take_along_axis(blocks, np.abs(blocks).argmax(-1)[..., None], -1)[..., 0]
    scales = np.where(extreme == 0, np.float32(1), extreme / np.float32(-middle)).astype(np.float32)
    codes = np.clip(np.floor(blocks / scales[..., None] + np.float32(middle + 0.5)), 0, 2 * middle - 1)
    return Blocks(codes.astype(np.uint8).reshape(rows, columns), scales, bits)


def build_encoder(shape: Shape, weights: Weights) -> ModelProto:
    """The graph of a BERT encoder whose tensors have the names of the official safetensors files."""
    graph = Graph()
    mask = graph.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    state = _embedded(graph, shape, weights)
    bias = _attention_bias(graph, mask)
    for layer in range(shape.layers):
        state = _layer(graph, shape, weights, f"encoder.layer.{layer}.", state, bias)
    _pooled(graph, state, mask)
    return graph.model(shape.width)


def save(model: ModelProto, path: Path, **facts: str) -> None:
    """Write the model with the facts as its metadata; equal weights give equal bytes."""
    helper.set_model_props(model, facts)
    path.write_bytes(model.SerializeToString(deterministic=True))


class Graph:
    """The nodes and constants of a graph that is being built; names are those of what they compute."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, TensorProto] = {}

    def constant(self, name: str, values: Any, kind: type | None = None) -> str:
        """Add a constant, once for each name, and give the name back."""
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.array(values, dtype=kind, order="C"), name)
        return name

    def node(self, operator: str, *inputs: str, name: str = "", outputs: int = 1, **attributes: Any) -> str:
        """Add an operator; the answer is the name of its output (of several: the stem, then `:0`, `:1` …)."""
        name = name or f"{operator}_{len(self.nodes)}"
        names = [name] if outputs == 1 else [f"{name}:{index}" for index in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, name=name, **attributes))
        return name

    def model(self, width: int) -> ModelProto:
        """The finished model."""
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        output = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", width])
        graph = helper.make_graph(self.nodes, "sentence_encoder", inputs, [output], list(self.constants.values()))
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, producer_name="firmmem", ir_version=IR_VERSION)


def _embedded(graph: Graph, shape: Shape, weights: Weights) -> str:
    """Words plus positions, normalised; the type of token 0 is folded into the positions."""
    table = weights["embeddings.word_embeddings.weight"]
    words = _words_4_bit(graph, table) if isinstance(table, Blocks) else _words_8_bit(graph, table)
    places = _dense(weights, "embeddings.position_embeddings.weight")
    places = places + _dense(weights, "embeddings.token_type_embeddings.weight")[0]
    zero, one, two = (graph.constant(f"at.{index}", [index], np.int64) for index in (0, 1, 2))
    length = graph.node("Slice", graph.node("Shape", "input_ids"), one, two, zero)
    positions = graph.node("Slice", graph.constant("positions", places), zero, length, zero)
    return _normalised(graph, shape, weights, "embeddings.LayerNorm", graph.node("Add", words, positions))


def _words_8_bit(graph: Graph, table: Array) -> str:
    """Rows of int8, each with its own scale, widened after they are gathered."""
    scales = (np.maximum(np.abs(table).max(1, keepdims=True), np.float32(1e-12)) / 127).astype(np.float32)
    codes = np.clip(np.rint(table / scales), -127, 127)
    rows = graph.node("Gather", graph.constant("words.codes", codes, np.int8), "input_ids")
    scale = graph.node("Gather", graph.constant("words.scales", scales), "input_ids")
    return graph.node("Mul", graph.node("Cast", rows, to=TensorProto.FLOAT), scale)


def _words_4_bit(graph: Graph, table: Blocks) -> str:
    """Rows of packed halves, split by standard operators after they are gathered.

    Byte j of a block holds column j in its low half and column j + 16 in its high one.
    """
    rows, columns = table.codes.shape
    halves = table.codes.reshape(rows, columns // BLOCK, 2, BLOCK // 2)
    packed = (halves[:, :, 0] | (halves[:, :, 1] << 4)).reshape(rows, columns // 2)
    scales = graph.constant("words.scales", table.scales, np.float16)
    gathered = graph.node("Gather", graph.constant("words.codes", packed, np.uint8), "input_ids")
    into_blocks = graph.constant("words.blocks", [0, 0, columns // BLOCK, BLOCK // 2], np.int64)
    gathered = graph.node("Reshape", gathered, into_blocks)
    shifted = graph.node("BitShift", gathered, graph.constant("four", 4, np.uint8), direction="RIGHT")
    high = graph.node("Cast", shifted, to=TensorProto.FLOAT)
    whole = graph.node("Cast", gathered, to=TensorProto.FLOAT)
    low = graph.node("Sub", whole, graph.node("Mul", high, graph.constant("sixteen", 16, np.float32)))
    codes = graph.node("Concat", low, high, axis=3)
    steps = graph.node("Sub", codes, graph.constant("eight", 8, np.float32))
    scale = graph.node("Cast", graph.node("Gather", scales, "input_ids"), to=TensorProto.FLOAT)
    scale = graph.node("Unsqueeze", scale, graph.constant("at.3", [3], np.int64))
    return graph.node("Reshape", graph.node("Mul", steps, scale), _merged_shape(graph, columns))


def _attention_bias(graph: Graph, mask: str) -> str:
    padding = graph.node("Sub", graph.constant("one", 1, np.float32), mask)
    bias = graph.node("Mul", padding, graph.constant("masked", MASKED, np.float32))
    return graph.node("Unsqueeze", bias, graph.constant("at.1.2", [1, 2], np.int64))


def _layer(graph: Graph, shape: Shape, weights: Weights, prefix: str, state: str, bias: str) -> str:
    """One transformer layer: attention, then the feed-forward network, each added and normalised."""
    heard = _attention(graph, shape, weights, prefix, state, bias)
    state = graph.node("Add", heard, state)
    state = _normalised(graph, shape, weights, prefix + "attention.output.LayerNorm", state)
    wide = _gelu(graph, _linear(graph, weights, [prefix + "intermediate.dense"], state))
    narrow = _linear(graph, weights, [prefix + "output.dense"], wide)
    return _normalised(graph, shape, weights, prefix + "output.LayerNorm", graph.node("Add", narrow, state))


def _attention(graph: Graph, shape: Shape, weights: Weights, prefix: str, state: str, bias: str) -> str:
    """Self-attention; its three projections are one product."""
    size = shape.width // shape.heads
    parts = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
    thirds = graph.constant("thirds", [shape.width] * 3, np.int64)
    projected = graph.node("Split", _linear(graph, weights, parts, state), thirds, outputs=3, axis=-1)
    into_heads = graph.constant("heads", [0, 0, shape.heads, size], np.int64)

    def heads(third: int, order: list[int]) -> str:
        return graph.node("Transpose", graph.node("Reshape", f"{projected}:{third}", into_heads), perm=order)

    query, key, value = heads(0, [0, 2, 1, 3]), heads(1, [0, 2, 3, 1]), heads(2, [0, 2, 1, 3])
    query = graph.node("Mul", query, graph.constant("shrink", 1 / np.sqrt(size), np.float32))
    scores = graph.node("Add", graph.node("MatMul", query, key), bias)
    mixed = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), value)
    mixed = graph.node("Transpose", mixed, perm=[0, 2, 1, 3])
    mixed = graph.node("Reshape", mixed, _merged_shape(graph, shape.width))
    return _linear(graph, weights, [prefix + "attention.output.dense"], mixed)


def _linear(graph: Graph, weights: Weights, parts: list[str], state: str) -> str:
    """A linear layer, or several with the same input side by side."""
    blocks = [_blocks(weights, part + ".weight") for part in parts]
    codes = np.concatenate([block.codes for block in blocks])
    scales = np.concatenate([block.scales for block in blocks])
    bits, (rows, columns), name = blocks[0].bits, codes.shape, parts[0]
    if bits == 4:
        codes = codes[:, 0::2] | (codes[:, 1::2] << 4)
    codes = codes.reshape(rows, columns // BLOCK, BLOCK * bits // 8)
    product = graph.node(
        "MatMulNBits",
        state,
        graph.constant(name + ".codes", codes),
        graph.constant(name + ".scales", scales),
        name=name,
        domain="com.microsoft",
        K=columns,
        N=rows,
        bits=bits,
        block_size=BLOCK,
        accuracy_level=4,  # the input in blocks of int8: twice as fast, and within .9999 of float32
    )
    bias = np.concatenate([_dense(weights, part + ".bias") for part in parts])
    return graph.node("Add", product, graph.constant(name + ".bias", bias))


def _gelu(graph: Graph, state: str) -> str:
    """The exact GELU, by erf; onnxruntime recognises these five nodes and fuses them."""
    scaled = graph.node("Div", state, graph.constant("root.two", np.sqrt(2), np.float32))
    lifted = graph.node("Add", graph.node("Erf", scaled), graph.constant("one", 1, np.float32))
    return graph.node("Mul", graph.node("Mul", state, lifted), graph.constant("half", 0.5, np.float32))


def _normalised(graph: Graph, shape: Shape, weights: Weights, name: str, state: str) -> str:
    scale = graph.constant(name + ".weight", _dense(weights, name + ".weight"))
    offset = graph.constant(name + ".bias", _dense(weights, name + ".bias"))
    return graph.node("LayerNormalization", state, scale, offset, axis=-1, epsilon=shape.eps)


def _pooled(graph: Graph, state: str, mask: str) -> None:
    """The mean over the tokens that are not padding, brought to length 1."""
    tokens = graph.constant("at.1", [1], np.int64)
    tiny = graph.constant("tiny", 1e-12, np.float32)
    weighed = graph.node("Mul", state, graph.node("Unsqueeze", mask, graph.constant("at.2", [2], np.int64)))
    total = graph.node("ReduceSum", weighed, tokens, keepdims=0)
    count = graph.node("Clip", graph.node("ReduceSum", mask, tokens, keepdims=1), tiny)
    mean = graph.node("Div", total, count)
    length = graph.node("Clip", graph.node("ReduceL2", mean, axes=[1], keepdims=1), tiny)
    graph.node("Div", mean, length, name="sentence_embedding")


def _merged_shape(graph: Graph, width: int) -> str:
    return graph.constant("merged", [0, 0, width], np.int64)


def _blocks(weights: Weights, name: str) -> Blocks:
    found = weights[name]
    if not isinstance(found, Blocks):
        raise TypeError(f"{name} has to be quantised first")
    return found


def _dense(weights: Weights, name: str) -> Array:
    found = weights[name]
    return found.dense() if isinstance(found, Blocks) else found.astype(np.float32)
