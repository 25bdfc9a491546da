"""Text becomes vectors that stand for its meaning, whatever else is encoded with it, in either language."""

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmmem.encoder.embedding import Encoder, _pool, language, pack_vector, similarity, stack_vectors
from firmmem.encoder.models import DEFAULT, Model, find_model
from firmmem.errors import ModelError

np = pytest.importorskip("numpy", reason="the extra `semantic` is not installed")

ENGLISH_ONLY = "all-MiniLM-L6-v2-q8"
PAIRS = [
    ("User is allergic to peanuts and carries an EpiPen.", "对什么食物过敏？"),
    ("The staging database password rotates every Monday.", "数据库密码什么时候更换"),
    ("项目周会改到每周三下午三点。", "When is the weekly project meeting?"),
    ("我妹妹去年春天搬到柏林，在一家面包店上班。", "Where does the user's sister work?"),
]


def shipped(name: str) -> Model:
    pytest.importorskip("onnxruntime", reason="the extra `semantic` is not installed")
    pytest.importorskip("tokenizers", reason="the extra `semantic` is not installed")
    try:
        return find_model(name)
    except ModelError as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder(shipped(DEFAULT))


@pytest.fixture(scope="module")
def english() -> Encoder:
    return Encoder(shipped(ENGLISH_ONLY))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where does Ann live?", "en"),
        ("Où habite Anne ?", "en"),
        ("她住在哪里？", "zh"),
        ("第一个版本我们决定用 SQLite，不用 Postgres。", "zh"),
        ("We named the cat 小雾 after the morning mist.", "en"),
        ("私は東京に住んでいます", "other"),
        ("Где живёт Анна?", "other"),
        ("안나는 어디에 살아요?", "other"),
        ("2024-03-05 18:30", "other"),
        ("🙂", "other"),
        ("", "other"),
    ],
)
def test_the_language_is_told_by_the_script(text: str, expected: str) -> None:
    assert language(text) == expected


@given(st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=20).filter(any))
def test_a_packed_vector_keeps_its_direction(values: list[float]) -> None:
    vector = np.array(values, np.float64)
    vector = (vector / np.linalg.norm(vector)).astype(np.float32)
    assert similarity(vector, stack_vectors([pack_vector(vector)])) == pytest.approx(1, abs=0.02)


def test_384_dimensions_take_388_bytes() -> None:
    assert len(pack_vector(np.ones(384, np.float32))) == 388


def test_similarity_is_the_cosine_with_each_in_their_order() -> None:
    vectors = np.random.default_rng(7).standard_normal((1500, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = similarity(vectors[3], stack_vectors(map(pack_vector, vectors)))
    assert np.abs(found - vectors @ vectors[3]).max() < 0.005
    assert found.argmax() == 3


def test_similarity_with_nothing_is_nothing() -> None:
    assert len(similarity(np.ones(384, np.float32), stack_vectors([]))) == 0


def test_a_vector_of_zeros_is_similar_to_nothing() -> None:
    assert similarity(np.ones(384, np.float32), stack_vectors([pack_vector(np.zeros(384, np.float32))])) == [0]


@pytest.mark.parametrize(("pooling", "expected"), [("mean", [2, 3]), ("cls", [1, 4]), ("max", [3, 4])])
def test_pooling_leaves_padding_out(pooling: str, expected: list[float]) -> None:
    states = np.array([[[1, 4], [3, 2], [9, 9]]], np.float32)
    assert _pool(states, np.array([[1, 1, 0]]), pooling).tolist() == [expected]


def test_vectors_have_length_one_and_the_order_of_the_texts(encoder: Encoder) -> None:
    texts = ["word " * length for length in (30, 1, 12, 4, 2, 9, 50, 7, 3, 20, 1)]
    vectors = encoder.encode(texts, query=False)
    assert vectors.shape == (11, encoder.model.dimension)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(11), abs=1e-5)
    alone = np.concatenate([encoder.encode([text], query=False) for text in texts])
    assert (vectors * alone).sum(1).min() > 0.9999


@pytest.mark.parametrize("text", ["", " ", "\x00", "🙂", "a" * 20_000, "字" * 2_000, "\u200b\ufdd0"])
def test_any_text_has_a_vector(encoder: Encoder, text: str) -> None:
    assert np.isfinite(encoder.encode([text], query=False)).all()


def test_no_texts_have_no_vectors(encoder: Encoder) -> None:
    assert encoder.encode([], query=True).shape == (0, encoder.model.dimension)


def test_a_question_in_one_language_finds_its_answer_in_the_other(encoder: Encoder) -> None:
    answers = stack_vectors(map(pack_vector, encoder.encode([answer for answer, _ in PAIRS], query=False)))
    questions = encoder.encode([question for _, question in PAIRS], query=True)
    assert [int(similarity(question, answers).argmax()) for question in questions] == [0, 1, 2, 3]


def test_the_means_of_the_card_are_those_of_its_sentences(encoder: Encoder) -> None:
    lines = (encoder.model.folder / "calibration_sentences.tsv").read_text(encoding="utf-8").splitlines()
    plain = Encoder(encoder.model.model_copy(update={"language_means": {}}))
    for name, texts in zip(("en", "zh"), zip(*(line.split("\t") for line in lines), strict=True), strict=True):
        assert {*map(language, texts)} == {name}
        measured = plain.encode(texts, query=False).mean(0)
        assert measured == pytest.approx(np.array(encoder.model.language_means[name]), abs=1e-3)


def test_the_english_model_ranks_english_and_does_not_score_chinese(english: Encoder) -> None:
    assert english.supports("en")
    assert not english.supports("zh")
    texts = ["My sister moved to Berlin last spring.", "The build fails when the path contains a space."]
    (question,) = english.encode(["Where does the sister live?"], query=True)
    assert similarity(question, stack_vectors(map(pack_vector, english.encode(texts, query=False)))).argmax() == 0


def test_a_model_without_languages_scores_any() -> None:
    model = Model(id="any", folder=Path(), dimension=4, files={})
    assert Encoder(model).supports("other")


def test_threads_share_an_encoder_and_get_their_own_vectors() -> None:
    encoder = Encoder(shipped(ENGLISH_ONLY))
    texts = [[f"The meeting with team {number} moved to Thursday."] for number in range(8)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: encoder.encode(text, query=False)[0], texts))
    alone = [encoder.encode(text, query=False)[0] for text in texts]
    assert np.abs(np.array(together) - np.array(alone)).max() < 1e-5


def test_a_closed_encoder_loads_its_model_again(english: Encoder) -> None:
    before = english.encode(["again"], query=False)
    english.close()
    assert (english.encode(["again"], query=False) == before).all()


def test_a_folder_with_no_card_is_used_as_an_export(english: Encoder, tmp_path: Path) -> None:
    for name in english.model.files:
        shutil.copy(english.model.folder / name, tmp_path)
    (tmp_path / "config.json").write_text('{"hidden_size": 384}')
    export = Encoder(find_model(folder=str(tmp_path)))
    text = ["The quarterly report is due on the fifth of April."]
    assert (export.encode(text, query=False) == english.encode(text, query=False)).all()


def test_a_model_that_was_altered_is_not_loaded(english: Encoder) -> None:
    wrong = english.model.model_copy(update={"files": {"model.onnx": "0" * 64}})
    with pytest.raises(ModelError, match="has been altered"):
        Encoder(wrong).encode(["text"], query=True)


def test_a_file_that_is_no_graph_is_told_in_one_sentence(english: Encoder, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a graph")
    (tmp_path / "tokenizer.json").write_bytes(b"{")
    broken = Model(id="broken", folder=tmp_path, dimension=384, files={})
    with pytest.raises(ModelError, match=r"^The model broken can't be used \([^\n]*\)\.$"):
        Encoder(broken).encode(["text"], query=True)


def test_a_card_with_the_wrong_dimension_is_told(english: Encoder) -> None:
    wrong = Encoder(english.model.model_copy(update={"dimension": 512}))
    with pytest.raises(ModelError, match="can't be used"):
        wrong.encode(["text"], query=True)


def test_without_onnxruntime_the_answer_says_what_to_install(english: Encoder, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelError, match=r'onnxruntime is not installed: pip install "firmmem\[semantic\] @ git'):
        Encoder(english.model).encode(["text"], query=True)
