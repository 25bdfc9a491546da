"""Every factor of a score, checked by hand."""

import json
import math
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from support.stores import START, YOUNG, in_another_process, planted, random_life

from firmmem import scoring
from firmmem.contract import TIERS, Question
from firmmem.errors import InvalidArgumentError
from firmmem.memory.recall.explain import Explanation, explain_score
from firmmem.memory.recall.recall import find
from firmmem.memory.rows.ranking_keys import DAY, Life
from firmmem.render.explanation import explain_lines
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import Connection, transaction

OLD = replace(YOUNG, tier="validated", trust=0.7, consolidation=0.3, recall_count=2, strength=1.5)


def explained(
    connection: Connection, settings: Settings, memory: int, *, now: float = START, **asked: str
) -> Explanation:
    return explain_score(connection, memory, Question("default", **asked), settings, now=now)  # type: ignore[arg-type]


def by_hand(text: str) -> tuple[float, float]:
    """The product of the numbers in the last line but one, multiplied anew, and the score it states."""
    [line] = [line for line in text.splitlines() if line.startswith("FinalScore")]
    numbers = line.split(" = ")[2].split(" × ")
    score = re.match(r"[\d.]+", line.split(" = ")[3])
    assert score
    return math.prod(float(number) for number in numbers), float(score[0])


def test_every_factor_is_told_with_its_numbers(connection: Connection, settings: Settings) -> None:
    planted(connection, OLD, "The office is in Lisbon", goal="move")
    text = explain_lines(explained(connection, settings, 1, now=START + 29 * DAY), now=START + 29 * DAY)
    assert text.splitlines() == [
        "#1 validated, written 2026-05-16: The office is in Lisbon",
        "time used: 2026-06-14T00:00:00Z",
        "recency = 29.000000 days since the last review, 2026-05-16T00:00:00Z",
        "effective half-life = 60 × (1 + 0.5 × consolidation 0.300000 × recall_count 2) = 78.000000 days",
        "decay = exp(−29.000000 / 78.000000) = 0.689496",
        "F = S / (4 + S) with S = 1.500000: 0.272727",
        "M = importance: 0.500000",
        "RFM = decay × F × M = 0.094022",
        "Trust = 0.700000: 0.7 at first, 0 votes that count (firmmem trust 1)",
        "StrategyAlign = 1: no goal is asked about",
        "SemanticSim = 1: there is no query",
        (
            "FinalScore = SemanticSim × RFM × Trust × StrategyAlign = 1.000000 × 0.094022 × 0.700000 × 1.000000 "
            "= 0.065815"
        ),
        "That is place 1 of validated.",
    ]


@pytest.mark.parametrize("query", ["", "office Lisbon"])
@pytest.mark.parametrize("goal", ["", "move", "another"])
def test_the_product_can_be_multiplied_by_hand_and_is_what_a_recall_says(
    connection: Connection, settings: Settings, query: str, goal: str
) -> None:
    planted(connection, OLD, "The office is in Lisbon", goal="move")
    planted(connection, YOUNG, "The office has a garden", goal="another")
    planted(connection, replace(YOUNG, tier="core"), "The office is closed on Sundays")
    now = START + 12.5 * DAY
    question = Question("default", query=query, goal_id=goal, explain=True)
    told = find(connection, question, settings, now=now).memories
    assert {memory.id for memory in told} == {1, 2, 3}
    for memory in told:
        of = explained(connection, settings, memory.id, now=now, query=query, goal_id=goal)
        product, score = by_hand(explain_lines(of, now=now))
        assert product == pytest.approx(score, abs=5e-6)
        assert of.memory == memory


def test_a_memory_without_the_words_has_no_relevance_and_says_so(connection: Connection, settings: Settings) -> None:
    planted(connection, YOUNG, "The office is in Lisbon")
    planted(connection, YOUNG, "Lunch is at noon")
    of = explained(connection, settings, 2, query="office")
    assert (of.memory.relevance, of.memory.score, of.rank) == (0, 0, 0)
    assert "SemanticSim = 0: it shares nothing with 'office'" in explain_lines(of, now=START)


def test_relevance_lifted_by_what_was_written_beside_it_can_be_followed(
    connection: Connection, settings: Settings
) -> None:
    for text in ("Where is the new office of the team?", "The office will be in Lisbon", "Lunch is at noon"):
        planted(connection, YOUNG, text)
    of = explained(connection, settings, 2, query="where is the new office of the team")
    text = explain_lines(of, now=START)
    found = re.search(r"SemanticSim = ([\d.]+) \+ ([\d.]+) × \(([\d.]+) − ([\d.]+)\) = ([\d.]+): ", text)
    assert found
    own, lift, ceiling, again, relevance = map(float, found.groups())
    assert own == again
    assert own + lift * (ceiling - own) == pytest.approx(relevance, abs=2e-6)
    assert relevance == pytest.approx(of.memory.relevance, abs=1e-6)


@pytest.mark.parametrize(
    ("words", "meaning", "foreign", "said"),
    [
        (0.6, 0.8, 0, "0.6 × words 0.600000 + 0.4 × meaning 0.800000 = 0.680000 for 'office'"),
        (0.5, 0.7, 1, "meaning 0.700000 + 0.5 × words 0.500000 = 0.950000 for 'office'"),
        (1.0, 0.9, 1, "meaning 0.900000 + 0.5 × words 1.000000, at most 1, = 1.000000 for 'office'"),
    ],
)
def test_words_and_meaning_are_told_as_they_are_fused(
    connection: Connection, settings: Settings, words: float, meaning: float, foreign: int, said: str
) -> None:
    planted(connection, YOUNG, "The office is in Lisbon")
    of = explained(connection, settings, 1, query="office")
    relevance = scoring.fuse_relevance(words, meaning, foreign)
    memory = of.memory._replace(words_relevance=words, meaning=meaning, relevance=relevance)
    assert f"SemanticSim = {said}" in explain_lines(replace(of, memory=memory), now=START)


def test_what_lies_elsewhere_is_explained_with_where_it_lies(connection: Connection, settings: Settings) -> None:
    planted(connection, YOUNG, "put away", state="archived")
    planted(connection, YOUNG, "set aside", state="quarantined")
    planted(connection, YOUNG, "in a branch", branch="idea")
    texts = [explain_lines(explained(connection, settings, memory), now=START) for memory in (1, 2, 3)]
    assert "#1 draft, archived" in texts[0]
    assert "where the archive is searched" in texts[0]
    assert "It is in quarantine" in texts[1]
    assert "It belongs to branch 'idea'" in texts[2]


def test_a_time_before_the_last_review_counts_as_zero_days(connection: Connection, settings: Settings) -> None:
    planted(connection, OLD)
    of = explained(connection, settings, 1, now=START - 100 * DAY)
    assert of.memory.decay == 1
    assert "an age below zero counts as zero" in explain_lines(of, now=START - 100 * DAY)


def test_a_memory_of_another_namespace_does_not_exist(connection: Connection, settings: Settings) -> None:
    planted(connection, YOUNG, namespace="A")
    with pytest.raises(InvalidArgumentError, match="no memory #1 in namespace 'default'"):
        explained(connection, settings, 1)


# The view that any program can read


VIEW = """
    import json, sqlite3, sys
    connection = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    rows = connection.execute(
        "SELECT * FROM memory_score WHERE namespace = 'default' ORDER BY rank, score DESC, rank_key DESC, id"
    )
    print(json.dumps([dict(row) for row in rows]))
"""


@pytest.fixture
def seeded(tmp_path: Path) -> tuple[Settings, dict[int, Life]]:
    """Some hundred memories of every age, as they are at this very moment of the machine's clock."""
    settings = Settings(db=tmp_path / "firmmem.db", draft_half_life=9.0, consolidation_base=0.7)
    connection = open_connection(settings)
    [[now]] = connection.execute("SELECT (julianday('now') - 2440587.5) * 86400.0").fetchall()
    chance = random.Random(5)  # noqa: S311
    with transaction(connection):
        lives = {}
        for _ in range(300):
            life = random_life(chance, now, coarse=False)
            memory = planted(connection, life, created_at=life.reviewed_at)
            lives[memory] = replace(life, importance=1.0, trust=1.0) if life.tier == "core" else life
        planted(connection, YOUNG, namespace="elsewhere")
        planted(connection, YOUNG, state="archived")
        planted(connection, YOUNG, branch="idea")
    connection.close()
    return settings, lives


def test_the_view_in_another_program_gives_the_scores_of_the_maths(seeded: tuple[Settings, dict[int, Life]]) -> None:
    settings, lives = seeded
    done = in_another_process(VIEW, settings.db)
    assert done.returncode == 0, done.stderr
    rows = {row["id"]: row for row in json.loads(done.stdout)}
    assert rows.keys() == lives.keys()
    bases = {"strategic": 365.0, "validated": 60.0, "draft": 9.0}
    for memory, life in lives.items():
        row = rows[memory]
        if life.tier == "core":
            assert (row["decay"], row["rfm"], row["score"]) == (1, 1, 1)
            continue
        half_life = scoring.effective_half_life(bases[life.tier], life.consolidation, life.recall_count, 0.7)
        decay = scoring.decay((row["at"] - life.reviewed_at) / DAY, half_life)
        rfm = scoring.rfm(decay, life.strength, life.importance)
        assert row["half_life"] == pytest.approx(half_life, rel=1e-12)
        assert row["decay"] == pytest.approx(decay, rel=1e-9)
        assert row["frequency"] == pytest.approx(scoring.frequency(life.strength), rel=1e-12)
        assert row["worth"] == scoring.worth(life.importance)
        assert row["rfm"] == pytest.approx(rfm, rel=1e-9)
        assert row["score"] == pytest.approx(scoring.final_score(rfm, life.trust, 1.0, 1.0, 1.0), rel=1e-9)


def test_the_view_ranks_as_a_recall_at_that_moment_does(seeded: tuple[Settings, dict[int, Life]]) -> None:
    settings, lives = seeded
    rows = json.loads(in_another_process(VIEW, settings.db).stdout)
    connection = open_connection(settings)
    told = [
        memory
        for tier in TIERS
        for memory in find(
            connection,
            Question("default", tiers=(tier,), limit=len(lives), token_budget=10**9),
            settings,
            now=rows[0]["at"],
        ).memories
    ]
    connection.close()
    assert [memory.id for memory in told] == [row["id"] for row in rows]
