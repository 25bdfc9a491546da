"""How near pairs of texts are in meaning, by the model that the settings name."""

from collections.abc import Sequence

import numpy as np

from firmmem.encoder.embedding import Encoder
from firmmem.encoder.models import find_model
from firmmem.settings import Settings


def cosines(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the cosine of the meanings of each pair."""
    settings = Settings()
    encoder = Encoder(find_model(settings.model, settings.model_dir))
    older, newer = (np.asarray(encoder.encode(list(texts), query=False)) for texts in zip(*pairs, strict=True))
    norms = np.linalg.norm(older, axis=1) * np.linalg.norm(newer, axis=1)
    return [float(cosine) for cosine in (older * newer).sum(axis=1) / norms]
