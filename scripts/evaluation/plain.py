"""What a plain FTS5 table finds: the questions' words, OR-joined, ranked by bm25()."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from evaluation.measures import Answer
from evaluation.sets import Asked, Collection
from firmmem.store.sqlite import connect
from firmmem.store.statements import Connection
from firmmem.text.normal_form import estimate_tokens

STOP_WORDS: Final = """
a an and are as at be been but by can could did do does for from had has have he her hers him his how i if in
into is it its me my no not of on or our she so some that the their them then there these they this to was we
were what when where which who whom why will with would you your about after any than s t
"""
STOPPED = frozenset(STOP_WORDS.split())
DEPTH = 20


def content_words(question: str) -> list[str]:
    """Return a question's distinct words, without stop-words unless there is nothing else."""
    words = list(dict.fromkeys(re.findall(r"\w+", question.lower())))
    return [word for word in words if word not in STOPPED] or words


def trigrams(question: str) -> list[str]:
    """Return every three neighbouring characters of a question's runs of letters."""
    runs = re.findall(r"\w+", question.lower())
    return list(dict.fromkeys(run[start : start + 3] for run in runs for start in range(len(run) - 2)))


Words = Callable[[str], list[str]]
TABLES: dict[str, tuple[str, Words]] = {
    "plain FTS5, porter": ("porter unicode61 remove_diacritics 2", content_words),
    "plain FTS5, unicode61": ("unicode61", content_words),
    "plain FTS5, trigram": ("trigram", trigrams),
}


def answers(table: str, collections: Sequence[Collection], *, depth: int = DEPTH) -> Iterator[Answer]:
    """Ask a plain table of each namespace the same questions."""
    tokenizer, words = TABLES[table]
    for collection in collections:
        connection = filled(tokenizer, collection)
        for question in collection.questions:
            yield answer(connection, words(question.text), question, depth)
        connection.close()


def filled(tokenizer: str, collection: Collection) -> Connection:
    connection = connect(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE plain USING fts5 (text, tokenize = '{tokenizer}')")
    texts = ((position, item.text) for position, item in enumerate(collection.items))
    connection.executemany("INSERT INTO plain (rowid, text) VALUES (?, ?)", texts)
    return connection


def answer(connection: Connection, words: list[str], question: Asked, depth: int) -> Answer:
    match = " OR ".join(f'"{word}"' for word in words)
    statement = "SELECT rowid, text FROM plain WHERE plain MATCH ? ORDER BY rank, rowid LIMIT ?"
    rows = connection.execute(statement, (match, depth)).fetchall() if words else []
    ranks = tuple(rank for rank, (position, _) in enumerate(rows, 1) if position in question.gold)
    cost = estimate_tokens("\n".join(text for _, text in rows))
    return Answer(question.category, ranks, len(question.gold), len(rows), cost)
