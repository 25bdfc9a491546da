"""Text to vectors of length 1, and vectors to similarities.

Synchronous on purpose: the caller decides on which thread an encoder works. numpy, onnxruntime and tokenizers
cost 120 ms and 37 MB to import and are optional, so that each is imported where it is first needed.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any

from firmmem.encoder.models import Model, verify_model
from firmmem.encoder.unigram import Unigram
from firmmem.errors import ModelError

Tokenize = Callable[[str], list[int]]

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

BATCH = 8  # texts that are encoded together; of like length, so that little of a batch is padding
BATCH_TOKENS = 512  # and at most so many tokens: what a batch of long texts takes is never given back (78 MB)
CHUNK = 512  # packed vectors that are widened at once: they stay in the processor's cache
EXTRA = 'pip install "firmmem[semantic] @ git+https://github.com/jiayoupengpeng/firmmem-mcp"'
TINY = 1e-12  # keeps the division by a vector's length defined
HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
LETTERS_TO_A_HAN = 4  # Latin letters that say about as much as one Han character, as in counting tokens


def language(text: str) -> str:
    """The language a text is written in, by its script: `zh`, `en` (Latin letters), or `other`."""
    han, latin = len(HAN.findall(text)), len(LATIN.findall(text))
    others = sum(map(str.isalpha, text)) - han - latin
    weights = {"zh": LETTERS_TO_A_HAN * han, "en": latin, "other": LETTERS_TO_A_HAN * others}
    return max(weights, key=weights.__getitem__) if any(weights.values()) else "other"


def require_runtime() -> None:
    """Refuse where what runs a model is not installed.

    Raises:
        ModelError: It is not.
    """
    for name in ("numpy", "onnxruntime", "tokenizers"):
        if find_spec(name) is None:
            raise ModelError(f"{name} is not installed: {EXTRA}.")


class Encoder:
    """A model in memory, from the first text it is given until it is closed. Threads may share it."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._loading = Lock()
        self._loaded: tuple[Any, Tokenize] | None = None

    def supports(self, language: str) -> bool:
        """Whether the model may score texts in this language; where it may not, words alone find more."""
        return not self.model.languages or language in self.model.languages

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """The vectors [texts, dimension] of some texts, of length 1; ModelError where the model fails."""
        session, tokenize = self._load()
        import numpy as np

        prefix = self.model.query_prefix if query else self.model.document_prefix
        tokens = [tokenize(prefix + text) for text in texts]
        vectors = np.zeros((len(texts), self.model.dimension), np.float32)
        for batch in _batches([len(text) for text in tokens]):
            vectors[batch] = self._run(session, [tokens[index] for index in batch])
        return self._centred(vectors, texts) if self.model.language_means else vectors

    def close(self) -> None:
        """Give the memory back; the next text loads the model again."""
        self._loaded = None

    def _load(self) -> tuple[Any, Tokenize]:
        with self._loading:
            if self._loaded is None:
                verify_model(self.model)
                self._loaded = _session(self.model), _tokenize(self.model)
            return self._loaded

    def _run(self, session: Any, tokens: list[list[int]]) -> Vectors:
        """Encode one batch, padded to its longest text."""
        import numpy as np

        ids = np.zeros((len(tokens), max(map(len, tokens))), np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(tokens):
            ids[row, : len(text)], mask[row, : len(text)] = text, 1
        known = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        with _as_model_errors(self.model):
            given = {wanted.name: known[wanted.name] for wanted in session.get_inputs()}
            (states,) = session.run([_output(session)], given)
            vectors = _pool(states, mask, self.model.pooling) if states.ndim == 3 else states
            return _unit(vectors.reshape(len(tokens), self.model.dimension))

    def _centred(self, vectors: Vectors, texts: Sequence[str]) -> Vectors:
        """Move the middle of each text's language to zero: else the languages lie apart from each other."""
        import numpy as np

        means = {name: np.array(mean, np.float32) for name, mean in self.model.language_means.items()}
        between = np.stack([*means.values()]).mean(0)
        middles = [means.get(language(text), between) for text in texts]
        return _unit(vectors - np.array(middles, np.float32).reshape(vectors.shape))


def pack_vector(vector: Vectors) -> bytes:
    """A vector for the file: a float32 scale, then an int8 a dimension (388 bytes for 384 dimensions)."""
    import numpy as np

    scale = max(float(np.abs(vector).max()), TINY) / 127
    codes = np.rint(vector / scale).astype(np.int8)
    return struct.pack(f"<f{codes.size}b", scale, *codes.tolist())


def stack_vectors(packed: Iterable[bytes]) -> NDArray[Any]:
    """Packed vectors as one array to search in: of int8 and scales, 3.9 MB for 10,000."""
    import numpy as np

    rows = list(packed)
    dimension = len(rows[0]) - 4 if rows else 0
    return np.frombuffer(b"".join(rows), [("scale", "<f4"), ("codes", "i1", (dimension,))])


def similarity(vector: Vectors, stacked: NDArray[Any]) -> Vectors:
    """The cosine of one vector with each of those in `stack`: about 0.7 ms for 10,000.

    By vecdot, row by row: a matrix product would wake a thread of OpenBLAS on every processor, which takes
    longer than the work (8 ms) unless OPENBLAS_NUM_THREADS is 1 before numpy is first imported by anyone.
    """
    import numpy as np

    cosines = np.empty((*vector.shape[:-1], len(stacked)), np.float32)
    for start in range(0, len(stacked), CHUNK):
        chunk = slice(start, start + CHUNK)
        cosines[..., chunk] = np.vecdot(stacked["codes"][chunk].astype(np.float32), vector[..., None, :])
    scaled: Vectors = cosines * stacked["scale"]
    return scaled


def _session(model: Model) -> Any:
    """The graph of a model, ready to run on one thread: the caller has as many encoders at work as it wants."""
    with _as_model_errors(model):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors only: its warnings on a machine's devices go to stderr
        graph = str(model.folder / model.graph)
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _tokenize(model: Model) -> Tokenize:
    """Text to the ids of its tokens, at most as many as the model takes."""
    path = model.folder / "tokenizer.json"
    with _as_model_errors(model):
        if model.tokenizer == "unigram":
            return Unigram(path, model.max_tokens).encode
        import tokenizers

        tokenizer = tokenizers.Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.enable_truncation(model.max_tokens)
        return lambda text: list(tokenizer.encode(text).ids)


@contextmanager
def _as_model_errors(model: Model) -> Iterator[None]:
    """Tell what fails inside a model as a ModelError: both libraries raise bare subclasses of Exception."""
    try:
        yield
    except ImportError as missing:
        raise ModelError(f"{missing.name} is not installed: {EXTRA}.") from missing
    except Exception as reason:
        raise ModelError(f"The model {model.id} can't be used ({' '.join(str(reason).split())}).") from reason


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The indices of texts in batches, the shortest first; `lengths` are theirs in tokens."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == BATCH or (len(batch) + 1) * lengths[index] > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _output(session: Any) -> str:
    """The output to read: the sentence's vector where there is one, else the first, the tokens' states."""
    names = [output.name for output in session.get_outputs()]
    return "sentence_embedding" if "sentence_embedding" in names else names[0]


def _pool(states: Vectors, mask: NDArray[np.int64], pooling: str) -> Vectors:
    """One vector a text from those of its tokens."""
    import numpy as np

    if pooling == "cls":
        return states[:, 0]
    weights = mask[..., None].astype(np.float32)
    if pooling == "max":
        pooled: Vectors = np.where(weights > 0, states, np.float32(-np.inf)).max(1)
    else:
        pooled = (states * weights).sum(1) / weights.sum(1)
    return pooled


def _unit(vectors: Vectors) -> Vectors:
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Vectors = vectors / np.maximum(lengths, np.float32(TINY))
    return unit
