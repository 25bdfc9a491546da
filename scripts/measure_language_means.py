"""Measure the mean vector of each language and write it into the card of the default model.

    python scripts/measure_language_means.py

The sentences are those of calibration_sentences.tsv beside the card: the same sixty in English and Chinese,
written for this. The figures depend on the processor in their last digit, so that the committed card holds.
"""

import json

import typer
from model_source import REPOSITORY, card_text

from firmmem.encoder.embedding import Encoder
from firmmem.encoder.models import CARD, DEFAULT, find_model

DIGITS = 5
FOLDER = REPOSITORY / "models" / DEFAULT


def measure() -> None:
    """Write `language_means` into the card."""
    plain = find_model(folder=str(FOLDER)).model_copy(update={"language_means": {}})
    lines = (FOLDER / "calibration_sentences.tsv").read_text(encoding="utf-8").splitlines()
    sentences = zip(*(line.split("\t") for line in lines), strict=True)
    encoder = Encoder(plain)
    means = {
        name: [round(float(value), DIGITS) for value in encoder.encode(texts, query=False).mean(0)]
        for name, texts in zip(("en", "zh"), sentences, strict=True)
    }
    card = json.loads((FOLDER / CARD).read_text(encoding="utf-8"))
    (FOLDER / CARD).write_bytes(card_text({**card, "language_means": means}).encode())


if __name__ == "__main__":
    typer.run(measure)
