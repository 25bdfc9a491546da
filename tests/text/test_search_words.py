from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firmmem.store.sqlite import connect
from firmmem.store.statements import Connection
from firmmem.text.search_words import QUERY_CHARACTERS, index_columns, match_expression, query_terms, segment_words
from firmmem.text.stopwords import CHINESE, ENGLISH

any_text = st.text(max_size=80)


@cache
def empty_index() -> Connection:
    connection = connect(":memory:", isolation_level=None)
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5(words, repeated, tokenize='porter unicode61 remove_diacritics 2')"
    )
    connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab('t', 'instance')")
    return connection


@pytest.fixture
def fts() -> Iterator[Connection]:
    connection = empty_index()
    connection.execute("DELETE FROM t")
    yield connection
    connection.execute("DELETE FROM t")


def put(connection: Connection, *texts: str) -> None:
    for text in texts:
        row = index_columns(text)
        connection.execute("INSERT INTO t (words, repeated) VALUES (?, ?)", (row.words, row.repeated))


def find(connection: Connection, query: str) -> list[int]:
    expression = " OR ".join(match_expression(term) for term in query_terms(query))
    rows = connection.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank", (expression,))
    return [rowid for (rowid,) in rows]


IDENTIFIERS = [
    "CVE-2024-3094",
    "a.b@example.com",
    "node.js",
    "C++",
    "C#",
    ".NET",
    "don't",
    "foo:bar",
    "pre-edit",
]
IDENTIFIERS += [
    "user.timezone",
    "snake_case",
    "camelCase",
    "XMLHttpRequest",
    "AI",
    "Go",
    "C",
    "TLS 1.3",
    "U+1F600",
]


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_an_identifier_finds_the_memory_that_contains_it_first(fts: Connection, name: str) -> None:
    decoys = [
        "Mail Don a CVE of 2024 at 3094",
        "example com node js foo bar pre edit b",
        "net case snake camel t",
    ]
    put(fts, *decoys, f"We talked about {name}, and about a great many other things, for an hour.", *decoys)
    assert find(fts, name)[0] == 4
    assert find(fts, f"What about {name}?")[0] == 4


@pytest.mark.parametrize("name", ["AI", "Go", "C"])
def test_a_short_word_does_not_match_what_contains_its_letters(fts: Connection, name: str) -> None:
    put(fts, "Aims, gongs, goes, cats and trains")
    assert find(fts, name) == []


def test_c_and_its_relatives_are_told_apart(fts: Connection) -> None:
    put(fts, "writes C", "writes C#", "writes C++")
    assert [find(fts, name)[0] for name in ("C++", "C#")] == [3, 2]


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("用户喜欢雾凇拼音输入法", ["雾凇", "雾凇拼音", "输入法", "他喜欢什么输入法？"]),
        ("用户用Rime输入法", ["rime", "输入法"]),
        ("favourite café in Porto: Majestic", ["what was the name of the café we liked in Porto?", "CAFE"]),
        ("Пользователь живёт в Москве", ["Москве", "МОСКВЕ"]),
        ("المستخدم يحب القهوة", ["القهوة", "القَهْوَة"]),
        ("उपयोगकर्ता को हिन्दी पसंद है", ["हिन्दी"]),
        ("ผู้ใช้ชอบดื่มกาแฟเย็น", ["กาแฟ", "กาแฟเย็น"]),
        ("사용자는 커피를 좋아한다", ["커피"]),
        ("ユーザーはコーヒーが好き", ["コーヒー", "ｺｰﾋｰ"]),
        ("the release went out 🚀 today", ["🚀"]),
        ("approved 👍🏽 by 👨‍👩‍👧", ["👍", "👨‍👩‍👧"]),
        ("ＡＢＣ full width", ["abc"]),
        ("می‌خواهم بروم", ["میخواهم"]),
        ("Straße in İzmir", ["STRASSE", "izmir"]),
        ("moved on 2025-01-09", ["January", "in Jan.", "1月", "一月", "January 9th", "1月9日"]),
        ("1月9日搬家", ["January", "2025-01-09"]),
    ],
)
def test_words_of_many_scripts_are_found(fts: Connection, text: str, queries: list[str]) -> None:
    put(fts, "nothing of the kind", text)
    for query in queries:
        assert find(fts, query) == [2], query


def test_hindi_words_with_the_same_consonants_are_told_apart(fts: Connection) -> None:
    put(fts, "दिन", "दान")
    assert find(fts, "दिन") == [1]


def test_a_run_becomes_characters_and_overlapping_pairs() -> None:
    assert segment_words("雾凇拼 x") == ["雾", "凇", "拼", "雾凇", "凇拼", "x"]
    assert segment_words("กาแฟ")[-3:] == ["กา", "าแ", "แฟ"]


def test_an_identifier_gives_its_parts_and_one_whole() -> None:
    assert segment_words("Node.JS")[:2] == ["node", "js"]
    assert len(segment_words("node.js")) == 3
    assert segment_words("camelCase") == ["camel", "case", "camelcase"]
    assert segment_words("Caroline's") == segment_words("Caroline’s") == ["caroline"]
    assert len(segment_words("don’t")) == 1


def test_repeated_words_are_kept_apart_and_all_are_counted() -> None:
    row = index_columns("tea, Tea and coffee")
    assert (row.words, row.repeated, row.length) == ("tea tea and coffee", "tea", 4)


@pytest.mark.parametrize("query", ["我是谁", "who am I", "the", "don't", "是不是"])
def test_a_query_of_stop_words_is_searched_with_them(query: str) -> None:
    assert query_terms(query) == list(dict.fromkeys(segment_words(query)))
    assert query_terms(query)


def test_stop_words_are_left_out_of_a_query() -> None:
    assert query_terms("What is the name of my cat?") == ["name", "cat"]
    assert query_terms("请问猫是什么颜色") == ["问", "猫", "颜", "色", "问猫", "猫是", "么颜", "颜色"]
    assert {len(word) for word in CHINESE} == {1, 2}
    assert all(word == word.casefold() for word in ENGLISH)


@pytest.mark.parametrize("query", ["", "  ", "*", "-", "(", '"', "...!?", "，。", "\0", "\u200b"])
def test_a_query_without_words_has_no_terms(query: str) -> None:
    assert query_terms(query) == []


def test_a_long_query_keeps_its_longest_words() -> None:
    query = "a1 b2 c3 " + "长" * 3 + " kubernetes"
    assert query_terms(query, most=2) == ["a1", "kubernetes"]
    assert len(query_terms("".join(map(chr, range(0x4E00, 0x9000))))) == 64


def test_of_a_megabyte_only_the_beginning_is_read() -> None:
    beginning = "word " * (QUERY_CHARACTERS // 5)
    assert query_terms(beginning + "needle " * 150_000) == ["word"]


def test_a_term_is_quoted_and_bound_to_its_column() -> None:
    assert match_expression('say "hi"') == 'words : "say ""hi"""'
    assert match_expression("tea", "repeated") == 'repeated : "tea"'


@given(any_text)
@example('AND NEAR( "unbalanced * - ( col : x ^')
@example("\ud83d\0")
def test_no_text_raises_an_error_in_a_search(text: str) -> None:
    connection = empty_index()
    for expression in [
        match_expression(text),
        match_expression(text, "repeated"),
        *map(match_expression, query_terms(text)),
    ]:
        connection.execute("SELECT rowid FROM t WHERE t MATCH ?", (expression,)).fetchall()


@given(any_text)
@example("ᾶ İ ΐ ß ﷺ ①")
@example("ᧀ ᳲ 🇨🇳 1️⃣ C++/Qt a--b ...c .net+ x_y")
def test_every_word_is_one_token_of_the_index(text: str) -> None:
    connection = empty_index()
    words = segment_words(text)
    connection.execute("DELETE FROM t")
    connection.execute("INSERT INTO t (words, repeated) VALUES (?, '')", (" ".join(words),))
    (count,) = connection.execute("SELECT count(*) FROM terms").fetchone()
    connection.execute("DELETE FROM t")
    assert count == len(words) == index_columns(text).length


@given(any_text)
def test_a_text_finds_itself(text: str) -> None:
    connection = empty_index()
    connection.execute("DELETE FROM t")
    put(connection, text)
    found = find(connection, text) if query_terms(text) else []
    connection.execute("DELETE FROM t")
    assert bool(found) == bool(query_terms(text))
