"""A prompt cut into clauses: what is said around a question is not what is asked."""

import re
from dataclasses import dataclass

from firmmem.patterns import lazy
from firmmem.text.search_words import QUERY_CHARACTERS, is_stop_word, query_terms, segment_words

CLAUSES = 6  # of a prompt that are asked: questions first, then the last ones
SHORTEST = 2  # telling words of a clause; one with fewer is part of the question next to it

_ENDS = lazy(
    r"(?<=[。！？；!?;…\n])[”’」』)\"']*|"
    r"(?<=\.)(?<![A-Z]\.)(?<!\b(?:Mr|Ms|Dr|St|vs)\.)(?<!\bMrs\.)(?:\s+(?![a-z])|(?<!\d\.)\s+)"
)
_ASKED = lazy(r"[?？][^\w]*$")
_STATED = lazy(r"[.。!！;；…][^\w]*$")
_ASKING_WORDS = lazy(
    r"\b(?:what|which|who|whose|whom|when|where|why|how)\b|[吗呢嗎]$|"
    r"什么|什麼|哪|谁|誰|怎么|怎麼|怎样|如何|多少|几[个点号时岁次]|多[久大长高远]|是否|为何",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Clause:
    """A part of a prompt, the words to look for, and whether it asks something."""

    text: str
    terms: list[str]
    asks: bool


def cut_clauses(query: str, most: int = CLAUSES) -> list[Clause]:
    """Return the clauses of a prompt in its order: of a bare question one, of any prompt `most` at most."""
    whole = query[:QUERY_CHARACTERS]
    texts: list[str] = []
    waiting = ""
    for part in map(str.strip, _ENDS.split(whole)):
        words = count_words(part)
        asks = is_question(part)
        if words >= SHORTEST or (asks and words):
            texts.append(waiting + part)
            waiting = ""
        elif asks and texts:
            texts[-1] = f"{texts[-1]} {part}"
        elif asks:
            waiting = f"{part} "
    if len(texts) < 2:
        return [read_clause(whole)]
    found = [read_clause(text) for text in texts]
    order = sorted(range(len(found)), key=lambda place: (found[place].asks, place), reverse=True)[:most]
    return [found[place] for place in sorted(order)]


def read_clause(text: str) -> Clause:
    """Return a text as a clause of its own."""
    return Clause(text, query_terms(text), is_question(text))


def is_question(text: str) -> bool:
    """Return whether a text asks something: by its mark, or where it has none by its words."""
    if _ASKED.search(text):
        return True
    return not _STATED.search(text) and bool(_ASKING_WORDS.search(text))


def count_words(text: str) -> float:
    """Return how many telling words a text has; of a run of characters each pair is half a word."""
    telling = [word for word in dict.fromkeys(segment_words(text)) if not is_stop_word(word)]
    return sum(1.0 if word[0] < "\u2e80" else 0.5 * (len(word) == 2) for word in telling)
