"""Where a session starts: all core facts, the open goals, what the last sessions were about, then the rest by score.

The token budget alone cuts it, unless the caller names a limit. Core facts that would not fit it take `CORE_SHARE` of
it, those tagged as rules first; goals leave room for the last session.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from firmmem.contract import Question, Recalled, RecalledMemory, Section
from firmmem.memory.recall.by_score import LOOSER, core_facts, count_by_tier, leave_for_others, top_by_score
from firmmem.memory.recall.last_sessions import Stretch, last_stretches
from firmmem.memory.recall.scope import Scope
from firmmem.memory.recall.token_budget import LINE_TOKENS, cut_to_budget, line_cost, memory_budget, to_memory
from firmmem.store.statements import Connection, fetch

if TYPE_CHECKING:
    from firmmem.settings import Settings

CORE_SHARE = 0.6  # of the budget, for core facts that would not all fit it
GOAL_SHARE = 2 / 3  # of what core facts leave, for the newest memory of each open goal
LAST_SHARE = 0.6  # of what is left then, for the last session
GOALS = 200  # open goals that are looked at: those opened last
NEWEST = 3  # strategic memories of one goal
SESSIONS = 3  # sessions whose memories are shown
SHORT_LINE = 24  # tokens of a short memory's line
USUAL_LINE = 36  # tokens of a memory's line, by which the number of rows that may fit is guessed
RULES = ("rule", "rules", "conduct", "规则", "规矩", "準則", "准则", "規則", "行为准则")
WALKED_CORE = 2_000  # core facts among which those tagged as rules are looked for


def is_session_start(question: Question) -> bool:
    """Return whether a question asks for nothing but what matters now."""
    return not (question.query or question.goal_id or question.narrowed or question.include_archived)


def recall_session_start(connection: Connection, question: Question, scope: Scope, settings: Settings) -> Recalled:
    """Return what a session starts with."""
    start = SessionStart(memory_budget(question), question.limit or scope.size, question.explain)
    notes = add_core(connection, question, scope, start)
    goals = newest_of_goals(connection, question, scope)
    stretches = last_stretches(connection, question, scope, settings, SESSIONS)
    rows = rows_by_id(connection, scope, likely_to_fit(start, goals, stretches))
    start.section("goals")
    start.add("goals", [rows[each] for each in goals[0] if each in rows], share=GOAL_SHARE)
    for number, stretch in enumerate(stretches):
        name = start.section("now" if stretch.now else "session", stretch)
        start.add(name, [rows[each] for each in stretch.memories if each in rows], share=1.0 if number else LAST_SHARE)
        if not number:
            start.add("goals", [rows[each] for each in chain(*goals) if each in rows])
            start.add(name, [rows[each] for each in stretch.memories if each in rows])
    if not stretches:
        start.add("goals", [rows[each] for each in chain(*goals) if each in rows])
    add_rest(connection, question, scope, settings, start)
    return start.recalled(count_by_tier(question, scope), notes)


def likely_to_fit(start: SessionStart, goals: list[list[int]], stretches: list[Stretch]) -> list[int]:
    """Return the ids of the memories of goals and sessions that may fit, in the order in which they would be told."""
    most = min(start.lines(), start.budget // SHORT_LINE + 1)
    last = stretches[0].memories if stretches else []
    first = goals[0][: int(most * GOAL_SHARE) + 1]
    others = chain(goals[0], *goals[1:], *(each.memories for each in stretches[1:]))
    return list(dict.fromkeys(chain(first, last[:most], others)))[:most]


def add_core(connection: Connection, question: Question, scope: Scope, start: SessionStart) -> tuple[str, ...]:
    """Tell all core facts, or as many as their share has room for; return what is to be said of the others."""
    count = sum(shelf.memories["core"] for shelf in scope.shelves)
    start.section("core")
    if not count:
        return ()
    most = min(count, start.lines())
    found = core_facts(connection, scope, most)
    needed = sum(line_cost(to_memory(row), explain=question.explain) for row in found)
    fits = len(found) == count and needed <= start.budget
    if not fits:
        rules = rules_of_conduct(connection, scope, start.lines())
        found = list({row["id"]: row for row in [*rules, *found]}.values())
    start.add("core", found, share=1.0 if fits else CORE_SHARE, room=leave_for_others(question, scope))
    left = count - len(start.memories)
    return (f"{left} more core facts: tiers=core with a token_budget of 20000 shows them",) if left else ()


def rules_of_conduct(connection: Connection, scope: Scope, most: int) -> list[Any]:
    """Return the rows of the core facts that are tagged as rules."""
    tags = json.dumps(RULES, ensure_ascii=False)
    found = fetch(connection, "core_by_tag", shelves=scope.parameters["shelves"], tags=tags, most=WALKED_CORE)
    ids = [row["id"] for row in found][:most]
    rows = rows_by_id(connection, scope, ids)
    return [rows[each] for each in ids if each in rows]


def newest_of_goals(connection: Connection, question: Question, scope: Scope) -> list[list[int]]:
    """Return the newest strategic memory of each open goal, the second newest of each, and so on."""
    found = fetch(
        connection,
        "goal_memories",
        namespace=question.namespace,
        shelves=scope.parameters["shelves"],
        goals=GOALS,
        newest=NEWEST,
    )
    taken: dict[int, int] = {}
    rounds: list[list[int]] = [[] for _ in range(NEWEST)]
    for row in found:
        taken[row["goal"]] = taken.get(row["goal"], 0) + 1
        if taken[row["goal"]] <= NEWEST:  # of several shelves
            rounds[taken[row["goal"]] - 1].append(row["id"])
    return rounds


def rows_by_id(connection: Connection, scope: Scope, ids: list[int]) -> dict[int, Any]:
    """Return the rows of recall.sql of these memories, by id."""
    if not ids:
        return {}
    given = scope.parameters | {"ids": json.dumps(ids), "limit": len(ids), "prior_strength": 1.0}
    return {row["id"]: row for row in fetch(connection, "recall", "candidate_by_ids", **given)}


def add_rest(connection: Connection, question: Question, scope: Scope, settings: Settings, start: SessionStart) -> None:
    """Tell what else there is by score, until nothing more fits."""
    others = sum(shelf.memories[tier] for shelf in scope.shelves for tier in LOOSER)
    shown = sum(memory.tier != "core" for memory in start.memories)
    more = min(start.room, start.budget // USUAL_LINE + 1)
    start.section("more")
    if start.budget <= LINE_TOKENS or more <= 0:
        return
    while shown < others:
        rows = top_by_score(connection, question, scope, LOOSER, shown + more, settings)
        start.add("more", rows)
        if len(rows) < shown + more or start.full:
            return
        shown, more = len(rows), more + start.budget // USUAL_LINE + 1


@dataclass
class SessionStart:
    """The sections of a session's start as they are filled, each within a share of what is left of the budget."""

    budget: int
    room: int  # memories that may still be told
    explain: bool
    sections: dict[str, tuple[Section, list[RecalledMemory]]] = field(default_factory=dict)
    full: bool = False  # something did not fit
    notes: tuple[str, ...] = ()
    _told: set[int] = field(default_factory=set)

    @property
    def memories(self) -> list[RecalledMemory]:
        """All that is told, in its order."""
        return [memory for _, memories in self.sections.values() for memory in memories]

    def lines(self) -> int:
        """Return how many memories could fit at most, were each of them very short."""
        return max(1, min(self.room, self.budget // LINE_TOKENS + 1))

    def section(self, kind: str, stretch: Stretch | None = None) -> str:
        """Open the next section, and return its name."""
        name = kind if stretch is None else f"{kind} {len(self.sections)}"
        said = Section(kind, 0) if stretch is None else Section(kind, 0, stretch.at, stretch.client)
        self.sections[name] = said, []
        return name

    def add(self, name: str, rows: Iterable[Any], *, share: float = 1.0, room: int | None = None) -> None:
        """Tell those rows that fit a share of the budget and were not told; pass over those that are too long."""
        allowance = int(self.budget * share)
        places = self.room if room is None else min(self.room, room)
        for row in rows:
            if row["id"] in self._told:
                continue
            if self._told and (allowance <= LINE_TOKENS or places <= 0):
                self.full = True
                break
            memory = to_memory(row)
            cost = line_cost(memory, explain=self.explain)
            if cost > allowance and not self._told:
                memory = cut_to_budget(memory, allowance, explain=self.explain)
                cost = min(allowance, line_cost(memory, explain=self.explain))
                self.notes = (f"#{memory.id} is cut to the token_budget",)
            if cost > allowance or places <= 0:
                self.full = True
                continue
            self._told.add(memory.id)
            self.sections[name][1].append(memory)
            allowance, places = allowance - cost, places - 1
            self.budget, self.room = self.budget - cost, self.room - 1

    def recalled(self, stored: dict[Any, int], notes: tuple[str, ...]) -> Recalled:
        """Return the whole, with how many of each tier are left out of those that are stored."""
        memories = self.memories
        for memory in memories:
            stored[memory.tier] = stored.get(memory.tier, 0) - 1
        left_out = {tier: count for tier, count in stored.items() if count > 0}
        cut_by = "limit" if self.room <= 0 else "token_budget"
        return Recalled(
            tuple(memories),
            left_out,
            cut_by=cut_by if left_out else "",
            sections=tuple(said._replace(size=len(told)) for said, told in self.sections.values() if told),
            notes=(*self.notes, *notes),
        )
