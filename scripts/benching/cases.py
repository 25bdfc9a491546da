"""What is timed: each case is a tool of one server, and its arguments in a round."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benching.store import GOALS, goal_name, words_of
from benching.words import FUNCTION_WORDS, content, text

RECALL, WRITE, FEEDBACK = "firmmem_recall_memory", "firmmem_write_event_memory", "firmmem_memory_feedback"
LONG_QUERY_CHARACTERS = 100_000
PROMPT_WORDS, SENTENCE_WORDS = 150, 15
APART = 7_919  # numbers between the memories whose words are asked for


@dataclass(frozen=True)
class Case:
    """One thing a client asks, with fresh arguments each round so that no answer is remembered."""

    name: str
    tool: str
    arguments: Callable[[int], dict[str, object]]


ECHO = Case("echo of a bare SDK server", "echo", lambda _: {"text": "hello world"})


def cases(ids: Sequence[int], size: int) -> list[Case]:
    """Return what is asked of our server; `ids` are memories to give feedback on, `size` how many there are."""
    return [
        Case("recall without a query, limit 20", RECALL, lambda _: {"limit": 20}),
        Case("recall without a query", RECALL, lambda _: {}),
        Case("recall for a goal, limit 20", RECALL, lambda i: {"limit": 20, "goal_id": goal_name(i % GOALS)}),
        query("recall, a rare word", lambda i: content(9_000 + i)),
        query("recall, a common word", lambda i: content(i % 10)),
        query("recall, three ordinary words", lambda i: f"{content(60 + i)} {content(300 + i)} {content(1200 + i)}"),
        query("recall, ten words of a memory", lambda i: " ".join(words_of(i * APART, size)[:10])),
        query("recall, only function words", lambda i: " ".join(FUNCTION_WORDS[i % 20 : i % 20 + 8])),
        query("recall, the 24 commonest words", lambda i: " ".join(content((i + n) % 30) for n in range(24))),
        query("recall, one letter", lambda i: "abcdefgh"[i % 8]),
        query("recall, punctuation", lambda i: "?!*\"'()" * (i % 5 + 1)),
        query("recall, a prompt of 150 words", prompt),
        query("recall, 100 kB of text", long_query),
        Case("write", WRITE, lambda i: {"summary": written(i)}),
        Case("feedback", FEEDBACK, lambda i: {"memory_ids": [ids[i % len(ids)]], "outcome": "positive"}),
    ]


def query(name: str, asked: Callable[[int], str]) -> Case:
    return Case(name, RECALL, lambda i: {"query": asked(i)})


def prompt(i: int) -> str:
    """Return what a person may write before asking: statements of ordinary words among function words, a question."""
    chance = random.Random(f"prompt {i}")  # noqa: S311 - the same every time
    sentences = [
        " ".join(
            content(chance.randrange(20, 5_000)) if number % 2 else chance.choice(FUNCTION_WORDS)
            for number in range(SENTENCE_WORDS)
        )
        for _ in range(PROMPT_WORDS // SENTENCE_WORDS)
    ]
    return ". ".join(sentences[:-1]) + f". What {sentences[-1]}?"


def long_query(i: int) -> str:
    words = " ".join(content((i * 7 + n * 13) % 5_000) for n in range(20_000))
    return words[:LONG_QUERY_CHARACTERS]


def written(i: int) -> str:
    """Return a statement that is not there yet."""
    return text(random.Random(f"written {i}"))  # noqa: S311 - the same every time
