"""What a statement claims: of which subject, what it says of it, and the words that deny, end or change something."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from firmmem.patterns import lazy
from firmmem.text.claim_tokens import Token, cut_claim
from firmmem.text.claim_words import irregular, lexicon, word_set

COMPARING: Final = ("than", "over", "rather", "比起")
NUMBERING: Final = ("first", "second", "third", "fourth", "fifth", "last", "next", "previous", "other")
PRONOUNS: Final = ("we", "they", "i", "you")
STRUCTURE: Final = frozenset({"function", "negation", "end", "change", "past"})
PLACED: Final = ("be in", "be at", "be on", "be with", "be under", "be near")
_NAMES = lazy(r"\b[A-Z][A-Za-z'’-]*")
_YEAR = lazy(r"(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?")
Side = tuple[int, int]


@dataclass
class Claim:
    """A statement taken apart. `subject` and `said` hold the things it names before and after its first verb."""

    subject: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)
    flow: list[str] = field(default_factory=list)  # every word in order, things and others
    named: set[str] = field(default_factory=set)  # its things that are written as names are
    codes: set[str] = field(default_factory=set)  # names with a digit or a sign in them, and single letters
    definite: bool = False  # it says who or what is *the* one
    new: set[str] = field(default_factory=set)  # its things that it calls new
    numbers: set[str] = field(default_factory=set)
    times: set[str] = field(default_factory=set)
    subject_numbers: set[str] = field(default_factory=set)
    subject_times: set[str] = field(default_factory=set)
    denied: bool = False
    ends: bool = False  # a word of an end is in it
    ended: bool = False  # and it is not denied: `ended_things` are over
    ended_things: set[str] = field(default_factory=set)
    changed: bool = False
    changed_surely: bool = False  # by more than a "now"
    past: bool = False
    compared: bool = False
    sides: set[Side] = field(default_factory=set)
    side_of: dict[str, set[Side]] = field(default_factory=dict)  # of its things that have structural tags too
    relations: set[str] = field(default_factory=set)
    verb: str = ""
    link: str = ""  # the verb with the preposition after it; "be " before what something is; * after a passive

    @property
    def things(self) -> set[str]:
        """What the statement names."""
        return self.subject | self.said


@lru_cache(maxsize=1024)
def read_claim(text: str) -> Claim:
    """Take a statement apart; what is returned is kept for the next write that meets it, and never changed."""
    tokens = cut_claim(text)
    reader = Reader(tokens, find_verb(tokens), {name.lower() for name in _NAMES.findall(text)})
    for place in range(len(tokens)):
        reader.take(place)
    return reader.finish()


class Reader:
    """A statement being read, word by word."""

    def __init__(self, tokens: list[Token], verb_at: int, capitals: set[str]) -> None:
        self.tokens = tokens
        self.verb_at = verb_at
        self.capitals = capitals
        self.chinese = any(token.is_han for token in tokens)
        self.claim = Claim()
        self._after_end = False
        self._aside = False
        self._numbers: list[str] = []

    def take(self, place: int) -> None:
        """Take in the next word."""
        token = self.tokens[place]
        self.claim.flow.append(token.key)
        if token.word in word_set("aside"):
            self._aside = True
        if token.kind == "mark" or token.word in ("and", "but"):
            self._after_end = False
            self._aside = self._aside and token.kind != "mark"
        elif token.kind == "number" or "number" in token.tags:
            self._number(place)
        else:
            self._word(place)

    def finish(self) -> Claim:
        """Return what was read."""
        claim = self.claim
        if self.verb_at == len(self.tokens) and self._numbers:
            last = next((token.word for token in reversed(self.tokens) if token.kind != "mark"), "")
            if len(self._numbers) > 1 or self._numbers[0] == last:  # statement 3, note 4 on item 7: they name a thing
                claim.subject_numbers.add(self._numbers[0])
        if claim.ended and not claim.ended_things and not claim.times:
            claim.ended_things = claim.things if self.chinese else set(claim.subject)
        if self.verb_at < len(self.tokens):
            claim.verb, claim.link = find_link(self.tokens, self.verb_at)
            claim.definite = [token.word for token in self.tokens[self.verb_at : self.verb_at + 2]][1:] == ["the"]
            if claim.link in PLACED and not claim.times:
                claim.relations.add("place")
        return claim

    def _number(self, place: int) -> None:
        claim, word = self.claim, self.tokens[place].word
        before = place < self.verb_at
        if not is_time(self.tokens, place):
            claim.numbers.add(word)
            self._numbers.append(word)
            if before and (self.verb_at < len(self.tokens) or not claim.things):
                claim.subject_numbers.add(word)
            return
        claim.times.add(word)
        if before and not (claim.things and self.chinese):
            claim.subject_times.add(word)

    def _word(self, place: int) -> None:
        token, claim = self.tokens[place], self.claim
        self._structure(place)
        if token.tags & {"time", "ordinal"}:
            claim.times.add(token.key)
            if place < self.verb_at and token.word in NUMBERING:
                claim.subject_numbers.add(token.key)
            if place < self.verb_at and "time" in token.tags and not (claim.things and token.is_han):
                claim.subject_times.add(token.key)
            if token.word in ("new", "another", "新"):
                claim.new.update(each.key for each in self.tokens[place + 1 : place + 3] if each.kind == "word")
            return
        if (
            token.tags & STRUCTURE
            or token.word in word_set("link")
            or token.word in word_set("preposition")
            or token.word in word_set("auxiliary")
        ):
            return
        (claim.subject if place < self.verb_at else claim.said).add(token.key)
        if token.kind == "id" or (place and token.word in self.capitals):
            claim.named.add(token.key)
        if token.kind == "id":
            claim.codes.add(token.key)
        if any(isinstance(tag, tuple) for tag in token.tags):
            claim.side_of[token.key] = sides_of(token)
        if self._after_end:
            claim.ended_things.add(token.key)

    def _structure(self, place: int) -> None:
        token, claim = self.tokens[place], self.claim
        claim.denied ^= "negation" in token.tags
        claim.past |= "past" in token.tags
        claim.compared |= token.word in COMPARING or (token.word == "to" and "prefer" in claim.flow)
        claim.sides |= sides_of(token)
        claim.relations |= {str(tag[1]) for tag in token.tags if isinstance(tag, tuple) and tag[0] == "relation"}
        if self._aside:
            return
        if "end" in token.tags:
            claim.ends = True
            if "negation" in token.tags or not place or "negation" not in self.tokens[place - 1].tags:
                claim.ended = self._after_end = True
        if "change" in token.tags:
            claim.changed = True
            claim.changed_surely |= token.word not in word_set("weak_change")


def sides_of(token: Token) -> set[Side]:
    """Return the sides of opposites that a word is on."""
    return {(int(tag[1]), tag[2]) for tag in token.tags if isinstance(tag, tuple) and tag[0] == "side"}


def is_time(tokens: list[Token], place: int) -> bool:
    """Return whether a number is part of a time: beside a word of time, of a clock, or a year."""
    word = tokens[place].word
    near = tokens[max(0, place - 1) : place] + tokens[place + 1 : place + 2]
    if ":" in word or any("time" in token.tags for token in near):
        return True
    before = tokens[place - 1].word if place else ""
    if _YEAR.fullmatch(word):
        return not place or "-" in word or before in ("in", "since", "until", "of", "to", "by", "on", "from")
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    thing_follows = following is not None and following.kind == "word" and not following.tags
    return before in ("at", "until", "past") and not thing_follows


def find_verb(tokens: list[Token]) -> int:
    """Return the place of the first verb, where what is said begins; the end if there is none."""
    seen = False
    for place, token in enumerate(tokens):
        if token.kind == "mark" and seen and token.word in ":：,，":
            return place
        if token.kind != "word":
            seen = seen or token.kind == "id"
        elif token.is_han:
            if is_chinese_verb(token, seen=seen) and (seen or not place):
                return place
            seen = seen or not token.tags
        elif is_english_verb(tokens, place, seen=seen):
            return place
        else:
            seen = (
                seen
                or token.word in PRONOUNS
                or (token.word not in word_set("determiner") and "function" not in token.tags)
            )
    return len(tokens)


def is_chinese_verb(token: Token, *, seen: bool) -> bool:
    """Return whether a Chinese word parts what is said from its subject."""
    relates = any(isinstance(tag, tuple) and tag[0] == "relation" for tag in token.tags)
    return token.word in word_set("auxiliary") or bool(token.tags & {"negation", "end", "change"}) or (relates and seen)


def is_english_verb(tokens: list[Token], place: int, *, seen: bool) -> bool:
    """Return whether an English word is the verb: by what it is, or by its ending after a noun."""
    token = tokens[place]
    if token.word in word_set("auxiliary") or token.tags & {"negation", "end"} or ("change" in token.tags and seen):
        return True
    following = tokens[place + 1].word if place + 1 < len(tokens) else "."
    if not seen or following in word_set("auxiliary"):
        return False
    before = tokens[place - 1].word
    finite = token.word.endswith("s") and not token.word.endswith("ss") and before not in word_set("determiner")
    return finite or token.word.endswith("ed") or token.word in word_set("past_verb") or before in PRONOUNS


def find_link(tokens: list[Token], verb_at: int) -> tuple[str, str]:
    """Return the verb, and how it is bound to what is said."""
    rest = [token for token in tokens[verb_at : verb_at + 5] if token.kind == "word"]
    words = [token.word for token in rest if token.word not in ("not", "also", "still", "now", "already", "currently")]
    verb = next((word for word in words if word not in word_set("auxiliary")), "")
    first = words[0] if words else ""
    copula = first in ("is", "are", "was", "were", "be", "是")
    if copula and (len(words) < 2 or not words[1].endswith("ed")):
        complement = words[1] if len(words) > 1 else ""
        tagged = any(isinstance(tag, tuple) for tag in lexicon().get(complement, ()))
        if complement in word_set("preposition"):
            return "be", f"be {complement}"
        if complement in word_set("determiner") or not (complement in irregular() or tagged):
            bound = len(words) > 2 and words[2] in word_set("preposition")  # allergic to: to several things
            return "be", f"be {complement} {words[2]}" if bound else "be "
    place = words.index(verb) if verb else 0
    after = words[place + 1] if place + 1 < len(words) else ""
    key = Token("word", verb).key + ("*" if copula or first == "will" else "")
    return key, f"{key} {after}" if after in word_set("preposition") else key
