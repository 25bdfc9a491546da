r"""The texts in scripts/screening by which the screening of writes is measured, in two halves.

A line is a group, a tab and a text, in which \n is a line end and {hex32} a run of 32 such characters (no secret is
in a file). A text's hash says which half it is in: rules are made with the one before the eyes, and judged by the
other.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = Path(__file__).with_name("screening")
_ALPHABETS: Final = {
    "hex": "0123456789abcdef",
    "alnum": "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789",
    "upper": "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789",
    "digits": "0123456789",
}
_LOOK_ALIKES: Final = str.maketrans("aceopxyi", "асеорхуі")
_DIGITS: Final = str.maketrans("aeiost", "431057")
_DISGUISES: Final[dict[str, Callable[[str], str]]] = {
    "spaced": lambda text: "  ".join(" ".join(word) for word in text.split()),
    "look-alike letters": lambda text: text.translate(_LOOK_ALIKES),
    "leetspeak": lambda text: text.translate(_DIGITS),
    "base64": lambda text: f"Note: {base64.b64encode(text.encode()).decode()}",
}


class Sample(NamedTuple):
    """A text, the group it is told under, and whether it is kept unseen while rules are made."""

    group: str
    text: str
    unseen: bool


def read_samples(name: str) -> Iterator[Sample]:
    """Yield the samples of one file, each as it would be written."""
    for line in (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines():
        group, _, text = line.partition("\t")
        whole = re.sub(r"\{(hex|alnum|upper|digits)(\d+)\}", _fill, text.replace("\\n", "\n"))
        yield Sample(group, whole, _is_unseen(whole))


def read_injections() -> Iterator[Sample]:
    """Yield the injections in plain words, then each of a few in every disguise."""
    yield from read_samples("injections")
    for name, disguise in _DISGUISES.items():
        for sample in read_samples("disguised"):
            text = disguise(sample.text)
            yield Sample(name, text, _is_unseen(text))


def _is_unseen(text: str) -> bool:
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 1


def _fill(found: re.Match[str]) -> str:
    """Return a run that looks random and is the same every time."""
    alphabet, count = _ALPHABETS[found[1]], int(found[2])
    stream = b"".join(hashlib.sha256(f"{found.string}{found.start()}{part}".encode()).digest() for part in range(3))
    return "".join(alphabet[byte % len(alphabet)] for byte in stream[:count])
