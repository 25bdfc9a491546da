"""What resembles the best matches: memories that share the words of those lead a query's other words.

Pseudo-relevance feedback (Rocchio 1971; Robertson and Zaragoza 2009, section 4.3): an answer in other words often
names the people, the day or the thing that the best matches name.
"""

import json
import math
from collections import Counter
from heapq import nlargest

from firmmem import scoring
from firmmem.memory.recall.matches import Match
from firmmem.store.statements import Connection, fetch
from firmmem.text.search_words import is_stop_word

LEADING = 3  # matches whose words are taken
TERMS = 40  # of their words, those that tell most
COMPARED = 40  # matches that are compared with them: the best


def lift_resembling(connection: Connection, matches: list[Match], asked: set[str], covered: float) -> list[Match]:
    """Return the matches, those that share words with the best lifted.

    `asked` are the query's own words, of which the best match has the share `covered`: the less it has, the less what
    resembles it answers. A word weighs by how few of the compared matches have it, and by the relevance of the leading
    ones that do.
    """
    lift = scoring.RESEMBLANCE * min(1.0, covered / scoring.RELIABLE)
    best = nlargest(COMPARED, matches, key=lambda match: match.relevance)
    if len(best) <= LEADING or not lift:
        return matches
    words = read_words(connection, [match.id for match in best])
    leading = {match.id: match.relevance for match in best[:LEADING]}
    shared = telling_shares(words, leading, asked)
    lifted = {
        match.id: match.relevance
        + lift * math.fsum(map(shared.__getitem__, words.get(match.id, set()) & shared.keys()))
        for match in matches
    }
    most = lifted[best[0].id]
    return [
        match._replace(relevance=scoring.lift_by_resemblance(match.relevance, lifted[match.id] / most))
        for match in matches
    ]


def read_words(connection: Connection, ids: list[int]) -> dict[int, set[str]]:
    """Return the distinct words of memories."""
    [row] = fetch(connection, "words_of", ids=json.dumps(ids))
    return {memory: set(words.split()) for memory, words in json.loads(row["found"])}


def telling_shares(words: dict[int, set[str]], leading: dict[int, float], asked: set[str]) -> dict[str, float]:
    """Return the words of the leading matches that tell most, with their shares of 1."""
    counts = Counter(word for own in words.values() for word in own)
    weights: dict[str, float] = {}
    for memory, relevance in leading.items():
        for word in words.get(memory, set()) - asked:
            rarity = math.log(1.0 + (len(words) - counts[word] + 0.5) / (counts[word] + 0.5))
            weights[word] = weights.get(word, 0.0) + rarity * relevance
    top = [
        (word, weight)
        for word, weight in nlargest(2 * TERMS, weights.items(), key=rarest_first)
        if not is_stop_word(word)
    ][:TERMS]
    total = math.fsum(weight for _, weight in top)
    return {word: weight / total for word, weight in top} if total else {}


def rarest_first(weighted: tuple[str, float]) -> tuple[float, str]:
    """Return what words are ordered by, so that equal weights have one order in every process."""
    word, weight = weighted
    return weight, word
