"""Whether a new statement contradicts an older one, from what both name, where they differ, and how they say it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from typing import Final

from firmmem.text.claim_tokens import HAN
from firmmem.text.claim_words import word_set
from firmmem.text.claims import Claim, Side, read_claim

GENERIC: Final = frozenset({"user", "用户", "person", "people", "thing"})
SINGLE: Final = frozenset(
    {"place", "job", "boss", "time", "name", "price", "drive"}
)  # relations to one thing at a time
OPENING: Final = 1  # the pair of opposites that hours belong to
LIKING: Final = 8  # and the pair of likes and dislikes
PARTS: Final = 3  # runs of Chinese that are parted
NEAR: Final = 0.55  # a cosine: scripts/measure_contradictions.py
ALIKE: Final = 0.6  # the share of the things that either names which two that say the same have in common
ALIKE_THINGS: Final = 3  # and how many at least
LONG: Final = 12  # things from which a text tells of several, and must share half of them with the other


def contradicts(older: str, newer: str) -> bool:
    """Return whether a statement, the newer one, can hardly be true if an older one still is."""
    return Pair.of(read_claim(older), read_claim(newer)).contradictory


@dataclass(frozen=True)
class Pair:
    """Two statements, compared: what both name, and what only one of them does."""

    older: Claim
    newer: Claim

    @classmethod
    def of(cls, older: Claim, newer: Claim) -> "Pair":
        """Return the pair, its words parted so that what is the same is the same word."""
        return cls(*part_chinese(*join_compounds(older, newer)))

    def is_contradictory(self, cosine: float = 0.0) -> bool:
        """Return whether the newer one contradicts the older one, where known with how near their meanings are."""
        return self.contradictory or (cosine >= NEAR and self.overtaken)

    @property
    def alike(self) -> bool:
        """Whether the two say nearly the same in other words: most of what either names, and the same figures."""
        older, newer = self.older, self.newer
        if self.denied or self.flips or self.is_series or older.ended != newer.ended:
            return False
        if older.times != newer.times or older.numbers != newer.numbers or older.codes != newer.codes:
            return False
        common = len(self.common) + len(older.times)
        return bool(self.common) and common >= max(
            ALIKE_THINGS, ALIKE * (len(older.things | newer.things) + len(older.times))
        )

    @property
    def overtaken(self) -> bool:
        """Whether the newer one tells of a change or an end, and the older one of none: enough if they are near."""
        older, newer = self.older, self.newer
        if self.is_series or self.foreign or older.past != newer.past or older.denied:
            return False
        return (newer.changed_surely and not older.changed) or (newer.ended and not older.ends)

    @property
    def contradictory(self) -> bool:
        """Whether the newer statement contradicts the older one."""
        if self.older.past != self.newer.past or not (self.common or self.ended) or self.is_series:
            return False
        things = sorted((len(self.older.things), len(self.newer.things)))
        if things[1] > LONG and len(self.common) * 2 < things[0]:
            return False
        if self.foreign:
            return self.role_taken
        return any((self.denied_now, self.turned, self.ended_now, self.changed, self.swapped, self.other_value))

    @cached_property
    def common(self) -> set[str]:
        """What both name."""
        return self.older.things & self.newer.things

    @cached_property
    def flips(self) -> set[Side]:
        """The sides on which the older statement is and the newer is on the other one."""
        mine, theirs = self.older.sides, self.newer.sides
        return {
            (pair, side)
            for pair, side in mine
            if (pair, 1 - side) in theirs and (pair, 1 - side) not in mine and (pair, side) not in theirs
        }

    @cached_property
    def left_older(self) -> set[str]:
        """What only the older one names, without the words that turn."""
        turning = {key for key, sides in self.older.side_of.items() if sides & self.flips}
        return self.older.things - self.newer.things - turning

    @cached_property
    def left_newer(self) -> set[str]:
        """What only the newer one names, without the words that turn."""
        flipped = {(pair, 1 - side) for pair, side in self.flips}
        turning = {key for key, sides in self.newer.side_of.items() if sides & flipped}
        return self.newer.things - self.older.things - turning

    @cached_property
    def ended(self) -> set[str]:
        """What the newer one says is over, and the older one names."""
        older = self.older.things
        return {
            one
            for one in self.newer.ended_things
            if one in older or (len(one) == 1 and any(len(each) == 2 and one in each for each in older))
        }

    @property
    def denied(self) -> bool:
        """Whether one of the two is denied."""
        return self.older.denied != self.newer.denied

    @property
    def one_sided(self) -> bool:
        """Whether one of the two names nothing that the other does not."""
        return not self.left_older or not self.left_newer

    @cached_property
    def other_numbers(self) -> bool:
        """Whether both have numbers, and others."""
        return bool(self.older.numbers and self.newer.numbers and self.older.numbers != self.newer.numbers)

    @cached_property
    def other_times(self) -> bool:
        """Whether both have times, and others."""
        return bool(self.older.times and self.newer.times and self.older.times != self.newer.times)

    @cached_property
    def same_subject(self) -> set[str]:
        """What is in the subject of both."""
        return self.older.subject & self.newer.subject

    @cached_property
    def crossed(self) -> set[str]:
        """What is the subject of one and is said in the other."""
        older, newer = self.older, self.newer
        return ((older.subject & newer.said) | (newer.subject & older.said)) - GENERIC

    @cached_property
    def foreign(self) -> bool:
        """Whether each is about something that the other does not name."""
        older, newer = self.older.subject & self.left_older, self.newer.subject & self.left_newer
        return bool(older and newer and not self.crossed)

    @cached_property
    def change(self) -> bool:
        """Whether the newer one says that something changed."""
        return self.newer.changed or bool((self.newer.new - self.older.new) & self.older.things)

    @property
    def is_series(self) -> bool:
        """Whether the two are of a series: said of another number of it, or of another day."""
        older, newer = self.older, self.newer
        if older.subject_numbers and newer.subject_numbers and older.subject_numbers != newer.subject_numbers:
            return True
        if not (older.subject_times and newer.subject_times) or older.subject_times == newer.subject_times:
            return False
        if older.times - older.subject_times != newer.times - newer.subject_times:
            return True
        same = not (self.left_older or self.left_newer or self.flips or self.denied) and older.numbers == newer.numbers
        return not newer.changed and not same

    @property
    def role_taken(self) -> bool:
        """Whether somebody else is what one person is: leads the same team, is responsible for the same thing."""
        definite = self.older.definite and self.newer.definite and self.older.said == self.newer.said
        if "role" not in self.older.relations & self.newer.relations and not definite:
            return False
        if self.denied or self.other_times or self.other_numbers:
            return False
        if self.older.said and self.older.said == self.newer.said:
            return True
        return self.change and bool(self.older.said & self.newer.said)

    @property
    def denied_now(self) -> bool:
        """Whether one says of the same thing what the other denies."""
        if not self.denied or not self.one_sided or self.other_numbers or self.older.ends != self.newer.ends:
            return False
        parted = self.older.said and self.newer.said
        return bool(self.common - GENERIC - (self.same_subject if parted else set())) or self.older.ends

    @property
    def turned(self) -> bool:
        """Whether the two say opposites of the same thing; hours of opening and of closing are none."""
        older, newer = self.older, self.newer
        times = (older.times - newer.times and self.left_newer) or (newer.times - older.times and self.left_older)
        if times and {pair for pair, _ in self.flips} == {LIKING}:
            return False  # likes winter, hates rain
        hours = self.other_times and {pair for pair, _ in self.flips} == {OPENING}
        return bool(self.flips and self.common) and self.one_sided and not hours

    @property
    def ended_now(self) -> bool:
        """Whether the newer one says that what the older one says is over."""
        newer = self.newer
        if not newer.ended or self.older.denied or not self.ended - GENERIC:
            return False
        if newer.subject - GENERIC - self.older.things and len(self.ended) < 2:
            return False
        if self.one_sided or any(HAN.match(key) for key in self.ended - newer.subject):
            return True
        last = next((key for key in reversed(newer.flow) if key in newer.ended_things), "")
        return last in self.ended

    @property
    def changed(self) -> bool:
        """Whether the newer one says that what the older one tells of the same thing is another way now."""
        if not self.change or self.older.denied or not self.common:
            return False
        if not self.same_subject and len(self.common - GENERIC) < 2:
            return False
        older, newer = self.older, self.newer
        if older.changed_surely and older.verb == newer.verb and self.left_older and self.left_newer:
            return False  # moved the desk, moved the lamp
        if self.left_older and self.left_newer and self.left_older <= older.codes and self.left_newer <= newer.codes:
            return False  # of product A, of product B
        if self.replaced:
            return True
        relation = self.older.relations & self.newer.relations & SINGLE
        if moves_an_object(self.newer, self.left_newer):
            relation -= {"place"}
        meeting = (self.newer.said & self.older.things) - self.same_subject
        if not self.newer.changed_surely and not (self.newer.new - self.older.new) & self.older.things:
            meeting -= {self.older.verb}
        if relation or meeting or self.crossed or (self.other_numbers and len(self.common) >= 2):
            return True
        timed = "time" in self.older.relations | self.newer.relations or not self.left_newer
        return self.other_times and timed

    @property
    def replaced(self) -> bool:
        """Whether the newer one names, after a verb of change, another value of what the older one says."""
        if not (self.newer.changed_surely and self.same_subject - GENERIC and self.newer.subject <= self.older.subject):
            return False
        before, after = slot(self.older, self.left_older), slot(self.newer, self.left_newer)
        if not after:
            return False
        moved = before in ("in", "at", "with") and after in ("to", "into")
        return self.older.link == "be " or before in word_set("link") or moved

    @property
    def swapped(self) -> bool:
        """Whether both compare the same things, the other way round."""
        older, newer = self.older, self.newer
        if not (older.compared and newer.compared and older.things == newer.things):
            return False
        return [key for key in older.flow if key in self.common] != [key for key in newer.flow if key in self.common]

    @property
    def other_value(self) -> bool:
        """Whether the two differ in one value only, of something that has one at a time."""
        if not self.common or self.denied:
            return False
        if not self.left_older and not self.left_newer:
            return self.other_numbers != self.other_times
        if self.older.denied or self.other_numbers or self.other_times or self.one_sided:
            return False
        if self.older.subject & self.left_older or self.newer.subject & self.left_newer:
            return False
        before, after = slot(self.older, self.left_older), slot(self.newer, self.left_newer)
        return bool(before and after) and (self._by_relation(before, after) or self._by_link(before, after))

    def _by_relation(self, before: str, after: str) -> bool:
        relation = self.older.relations & self.newer.relations & SINGLE
        same = before == after or {before, after} <= {"at", "for"}
        if self.newer.changed_surely and moves_an_object(self.newer, self.left_newer):
            return False
        return bool(relation) and ("place" in relation or same)

    def _by_link(self, before: str, after: str) -> bool:
        older, newer = self.older, self.newer
        person = bool(older.subject & word_set("person"))
        if before == after and before in word_set("link"):
            one_thing = before != "用" or (len(self.left_older) == len(self.left_newer) == 1)
            return one_thing and (before != "是" or not person)
        if older.link != newer.link or not older.link or HAN.match(older.link):
            return False
        if older.link == "be ":
            named = self.left_older <= older.named and self.left_newer <= newer.named
            return len(older.subject) >= 2 and not person and (named or bool(older.subject & word_set("attribute")))
        if older.link.startswith("be "):
            return older.link.count(" ") == 1
        infinitive = older.link.endswith(" to") and older.verb != "report"
        bound = "*" in older.link or (" " in older.link and not infinitive)
        return bound or (older.link.startswith("prefer") and older.flow[-1:] == newer.flow[-1:])


def slot(claim: Claim, left: set[str]) -> str:
    """Return the word before what only this statement names, where that is in one place; else nothing."""
    places = [place for place, word in enumerate(claim.flow) if word in left]
    if not places or places[0] == 0 or places[-1] - places[0] != len(places) - 1:
        return ""
    return claim.flow[places[0] - 1]


def moves_an_object(claim: Claim, left: set[str]) -> bool:
    """Return whether what is new follows a verb of moving at once: it is what is moved, not where to."""
    for place, word in enumerate(claim.flow):
        if word in left:
            before = next(
                (each for each in reversed(claim.flow[:place]) if each not in (*word_set("determiner"), "了")), ""
            )
            return before in ("把", "将", "搬", "mov", "migrat", "relocat")
    return False


def join_compounds(older: Claim, newer: Claim) -> tuple[Claim, Claim]:
    """Make one word of two where the word before makes another thing of a shared one: running club, book club."""
    verbs = {older.verb, newer.verb, older.verb.rstrip("*"), newer.verb.rstrip("*")}
    for thing in sorted(older.things & newer.things - verbs):
        before, after = modifier(older, thing), modifier(newer, thing)
        if before and after and before not in newer.things and after not in older.things:
            older, newer = rename(older, thing, [f"{before} {thing}"]), rename(newer, thing, [f"{after} {thing}"])
    return older, newer


def modifier(claim: Claim, thing: str) -> str:
    """Return the thing that a statement names just before another one, if it is no opposite and no verb."""
    place = claim.flow.index(thing) if thing in claim.flow else 0
    before = claim.flow[place - 1] if place else ""
    plain = before not in claim.side_of and before not in (claim.verb, claim.verb.rstrip("*"))
    return before if before in claim.things and plain else ""


def part_chinese(older: Claim, newer: Claim) -> tuple[Claim, Claim]:
    """Part runs of Chinese, which has no spaces, where two share two characters or more."""
    for _ in range(PARTS):
        found = next(shared_runs(older, newer), None)
        if found is None:
            break
        one, other, common = found
        older, newer = rename(older, one, around(one, common)), rename(newer, other, around(other, common))
    return older, newer


def shared_runs(older: Claim, newer: Claim) -> Iterator[tuple[str, str, str]]:
    """Yield runs of Chinese of the two with what they share, at an end of either: not heads of other compounds."""
    theirs = sorted(each for each in newer.things if HAN.match(each))
    for one in sorted(each for each in older.things if HAN.match(each)):
        for other in theirs:
            if one == other or set(one).isdisjoint(other):
                continue
            match = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
            heads = match.a and match.b
            tails = match.a + match.size < len(one) and match.b + match.size < len(other)
            if match.size >= 2 and not heads and not tails:
                yield one, other, one[match.a : match.a + match.size]


def around(run: str, common: str) -> list[str]:
    """Return the parts of a run before, in and after what it shares with another."""
    place = run.index(common)
    return [part for part in (run[:place], common, run[place + len(common) :]) if part]


def rename(claim: Claim, thing: str, parts: list[str]) -> Claim:
    """Return a statement in which one thing is these parts."""

    def renamed(things: set[str]) -> set[str]:
        return (things - {thing}) | set(parts) if thing in things else things

    return replace(
        claim,
        subject=renamed(claim.subject),
        said=renamed(claim.said),
        ended_things=renamed(claim.ended_things),
        new=renamed(claim.new),
        flow=[part for word in claim.flow for part in (parts if word == thing else [word])],
    )
