"""The evaluation: its measures, its reading of the sets, and small runs through the real tools."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from support.checkout import CHECKOUT

from firmmem import scoring
from firmmem.settings import Settings
from firmmem.store.opening import open_connection

SCRIPTS = CHECKOUT / "scripts"
DATA = Path(os.environ.get("FIRMMEM_DATA") or CHECKOUT.parent / "shared" / "data")
SESSIONS = {
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_2_date_time": "9:00 am on 9 June, 2023",
}


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))


def turn(dia_id: str, speaker: str, text: str) -> dict[str, str]:
    return {"dia_id": dia_id, "speaker": speaker, "text": text}


def conversation(pet: str, trip: str) -> dict[str, Any]:
    """One conversation in LoCoMo's format: two sessions, three questions of which one names no turn that exists."""
    return {
        "conversation": SESSIONS
        | {
            "session_1": [
                turn("D1:1", "Ann", f"My {pet} is called Biscuit."),
                turn("D1:2", "Ben", "The kitchen tap drips again."),
            ],
            "session_2": [
                turn("D2:1", "Ann", f"Next week I travel to {trip} by train."),
                turn("D2:2", "Ben", "I bought a green bicycle."),
            ],
        },
        "qa": [
            {"question": f"What is the name of Ann's {pet}?", "evidence": ["D1:1"], "category": 4},
            {"question": "Where does Ann travel by train?", "evidence": ["D2:1; D9:9"], "category": 1},
            {"question": "Who sings?", "evidence": ["D7:3"], "category": 5},
        ],
    }


@pytest.fixture
def locomo_file(tmp_path: Path) -> Path:
    places = [("cat", "Lisbon"), ("dog", "Vienna"), ("parrot", "Oslo")]
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([conversation(*place) for place in places]), encoding="utf-8")
    return file


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, SCRIPTS / "evaluate.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False)


def cells(output: str, first: str) -> list[str]:
    [line] = [line for line in output.splitlines() if line.startswith(f"| {first} |")][:1]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_locomo_is_written_and_asked_through_the_tools(locomo_file: Path) -> None:
    done = run("locomo", locomo_file, "--months-later", "8", "--prior-strength", "0.5", "--limit", "3")
    assert done.returncode == 0, done.stderr
    assert "12 memories in 3 namespaces, 6 questions." in done.stdout
    assert cells(done.stdout, "FirmMem")[1:4] == ["1.000", "1.000", "1.000"]
    for way in ("FirmMem, 8 months later", "FirmMem, prior strength 0.5", "FirmMem, limit 3", "plain FTS5, porter"):
        assert cells(done.stdout, way)[3] == "1.000"
    assert cells(done.stdout, "multi-hop")[1] == "3"
    assert "Asked another namespace's 6 questions, it answered with nothing: FirmMem: " in done.stdout


def test_a_refused_write_fails_the_evaluation(locomo_file: Path) -> None:
    records = json.loads(locomo_file.read_text(encoding="utf-8"))
    records[1]["conversation"]["session_2"][0]["text"] = "my key is AKIA" + "ABCDEFGHIJKLMNOP"
    locomo_file.write_text(json.dumps(records), encoding="utf-8")
    done = run("locomo", locomo_file)
    assert done.returncode != 0
    assert "RefusedError" in done.stderr
    assert "| FirmMem |" not in done.stdout


def test_turns_are_dated_and_questions_without_evidence_are_dropped(locomo_file: Path) -> None:
    from evaluation import sets

    [first, *_] = sets.locomo(locomo_file)
    assert first.items[0].text == "1:56 pm on 8 May, 2023 Ann: My cat is called Biscuit."
    assert first.items[2].at - first.items[0].at == pytest.approx(31.795 * 86400, abs=3600)
    assert [question.gold for question in first.questions] == [{0}, {2}]
    assert first.ends_at > first.items[-1].at


def test_recall_hits_and_ranks_are_counted_as_defined() -> None:
    from evaluation.measures import Answer

    answer = Answer("", ranks=(2, 7), gold=4)
    assert (answer.recall(1), answer.recall(5), answer.recall(10)) == (0, 0.25, 0.5)
    assert answer.recall(2, capped=True) == 0.5
    assert (answer.hit(1), answer.hit(5)) == (0, 1)
    assert answer.reciprocal() == 0.5
    assert Answer("", (), 1).reciprocal() == 0


def test_questions_of_another_namespace_have_no_answer(locomo_file: Path) -> None:
    from evaluation import report, sets
    from evaluation.measures import Answer

    first, second, third = sets.elsewhere(sets.locomo(locomo_file))
    assert first.questions[0].text == "What is the name of Ann's dog?"
    assert third.questions[0].text == "What is the name of Ann's cat?"
    assert not any(question.gold for question in second.questions)
    assert report.nothing([Answer("", (), 0, told=3), Answer("", (), 0)]) == 0.5


def test_a_difference_comes_with_the_same_interval_every_time() -> None:
    from evaluation.measures import Answer, difference

    ours = [Answer("", (1,), 1)] * 30 + [Answer("", (), 1)] * 10
    theirs = [Answer("", (2,), 1)] * 20 + [Answer("", (), 1)] * 20
    found = difference(ours, theirs, Answer.reciprocal)
    middle, low, high = found
    assert middle == pytest.approx(0.5)
    assert low < middle < high
    assert found == difference(ours, theirs, Answer.reciprocal)


def test_a_transcript_is_written_on_one_line_without_its_speakers_colons() -> None:
    from evaluation import sets

    record = "2025-06-21 Wu Gang\nLu: Shall we meet at 12:30, you and I?\nWu: Sure, see you at the shop!"
    item = sets.retold(record, 0.0)
    assert item.retold
    assert "\n" not in item.text
    assert "12:30" in item.text
    assert not sets.is_transcript(item.text)
    assert sets.retold("2025-06-21 a plain note", 0.0).text == "2025-06-21 a plain note"


def test_a_mixed_store_takes_even_records_from_one_file_and_odd_ones_from_the_other(tmp_path: Path) -> None:
    from evaluation import sets

    chinese, english = tmp_path / "zh.json", tmp_path / "en.json"
    queries = [["who?", [1], "kind"]]
    for file, word in ((chinese, "猫"), (english, "cat")):
        docs = [f"2025-01-0{day} {word}" for day in (1, 2, 3)]
        file.write_text(json.dumps([{"docs": docs, "queries": queries}]), encoding="utf-8")
    [person] = sets.lifebench_mixed(chinese, english, english)
    assert [item.text[11:] for item in person.items] == ["猫", "cat", "猫"]


def test_equal_texts_are_one_memory_and_either_position_counts_as_found(tmp_path: Path) -> None:
    file = tmp_path / "same.json"
    person = {
        "docs": ["2025-01-01 Mia The heron stands by the pond."] * 2 + ["2025-01-02 Mia Nothing else happened."],
        "queries": [["Where does the heron stand?", [0, 1], "recall"]],
    }
    file.write_text(json.dumps([person]), encoding="utf-8")
    done = run("lifebench", file)
    assert done.returncode == 0, done.stderr
    assert cells(done.stdout, "FirmMem")[2] == "1.000"


def test_a_report_stands_between_the_markers_and_leaves_the_rest(tmp_path: Path) -> None:
    import documents

    document = tmp_path / "README.md"
    document.write_text("before\n<!-- evaluate:start -->\nold\n<!-- evaluate:end -->\nafter\n", encoding="utf-8")
    documents.between(document, "evaluate", "new")
    documents.between(document, "locomo", "more")
    assert document.read_text(encoding="utf-8") == (
        "before\n<!-- evaluate:start -->\nnew\n<!-- evaluate:end -->\nafter\n"
        "\n<!-- locomo:start -->\nmore\n<!-- locomo:end -->\n"
    )


def test_votes_bring_a_third_of_the_memories_to_any_trust_between_two(tmp_path: Path) -> None:
    from evaluation import votes

    settings = Settings()
    for target in (0.2, 0.4, 0.69, 0.75, 0.95):
        outcome, count = votes.votes_to(target, settings)
        trust = 0.7
        for _ in range(count):
            trust = scoring.update_trust(trust, outcome, settings.feedback_pos_delta, settings.feedback_neg_delta)
        assert 0.7 * target <= trust <= target + 0.03
    ballots = votes.ballots({"space": list(range(1, 901))}, settings)
    voted = {memory for ballot in ballots for memories in ballot.values() for memory in memories}
    assert 250 < len(voted) < 350
    assert {outcome for ballot in ballots for _, outcome in ballot} == {"positive", "negative"}


def test_votes_are_cast_from_several_sessions_before_anything_is_asked(locomo_file: Path, tmp_path: Path) -> None:
    done = run("locomo", locomo_file, "--months-later", "0", "--feedback", "--no-floor", "--keep", tmp_path / "kept")
    assert done.returncode == 0, done.stderr
    assert cells(done.stdout, "FirmMem")[3] == cells(done.stdout, "FirmMem, no floor")[3] == "1.000"
    [voted] = (tmp_path / "kept").glob("*.voted.db")
    connection = open_connection(Settings.model_construct(db=voted))
    [(votes, sessions)] = connection.execute("SELECT count(*), count(DISTINCT session) FROM vote").fetchall()
    connection.close()
    assert votes >= sessions > 1


def test_what_was_written_is_kept_and_not_written_again(locomo_file: Path, tmp_path: Path) -> None:
    command = ("locomo", locomo_file, "--months-later", "0", "--keep", tmp_path / "kept")
    first, second = run(*command), run(*command)
    assert "write:" in first.stderr
    assert "write:" not in second.stderr
    assert cells(first.stdout, "FirmMem")[1:8] == cells(second.stdout, "FirmMem")[1:8]


def test_ties_are_pairs_close_in_relevance_and_counted_where_the_firmer_stands_first() -> None:
    from evaluation.measures import Answer, ties

    answer = Answer("", (), 1, factors=((0.80, 0.3), (0.79, 0.5), (0.79, 0.2), (0.40, 0.2)))
    assert ties([answer], 0.0) == (1, 1.0)
    count, firmer_first = ties([answer], 0.05)
    assert count == 3
    assert firmer_first == pytest.approx(2 / 3)


def test_factors_are_read_from_a_reply_that_explains_them() -> None:
    from evaluation import tool

    reply = (
        "#3 validated 2026-01-01 trust=0.70 score=0.500 a rare trust 0.11\n"
        "    score 0.5000 = relevance 0.9000 × (0.9 + 0.1 × RFM 0.2500) × (0.9 + 0.1 × trust 0.7000) × (0.9 + 0.1 × "
        "alignment 1.00); relevance of words 0.9000 and meaning 0.1000; RFM = decay 1.0 × F 0.5 × M 0.50\n"
        "#4 validated 2026-01-01 trust=0.50 score=0.1\n"
        "    score 0.1000 = RFM 0.2500 × trust 0.5000 × alignment 1.00 × relevance 0.8000\n"
    )
    first, second = tool.factors(reply)
    assert first == pytest.approx((0.9, 0.175))
    assert second == pytest.approx((0.8, 0.125))


def test_without_the_floor_whatever_comes_nearest_is_returned() -> None:
    from evaluation import tasks

    ways = tasks.Ways(floorless=True).over(Settings.model_construct())
    assert [(way.name, way.settings.silence) for way in ways] == [("FirmMem", 0.3), ("FirmMem, no floor", 0.0)]


def test_the_chinese_table_has_chinese_names() -> None:
    from evaluation import report

    rows = [["LifeBench: English records, Chinese questions, with the model", "1"]]
    assert "LifeBench：英文记录，中文问题，用模型" in report.summaries(rows, chinese=True)
    assert "English records" in report.summaries(rows)


def test_the_prior_is_told_at_every_strength(locomo_file: Path, tmp_path: Path) -> None:
    from evaluation import prior, tasks

    task = tasks.locomo(locomo_file, tasks.Ways())
    lines = prior.over_strengths(task, tmp_path).splitlines()
    assert len(lines) == 2 + len(prior.STRENGTHS)
    assert lines[2].startswith("| 0 | 1.000 | 1.000 | +.000 (+.000 … +.000) |")


def test_the_picture_has_a_line_for_each_way_and_a_point_for_each_limit(locomo_file: Path, tmp_path: Path) -> None:
    from evaluation import chart, tasks

    task = tasks.locomo(locomo_file, tasks.Ways())
    drawn = list(chart.lines([("LoCoMo", task, "plain FTS5, porter")], tmp_path))
    assert [line.name for line in drawn] == ["LoCoMo, FirmMem", "LoCoMo, plain FTS5, porter"]
    picture = "\n".join(chart.drawing(drawn))
    root = ElementTree.fromstring(picture)  # noqa: S314 - our own picture
    assert sum(each.tag.endswith("circle") for each in root.iter()) == 2 * len(chart.LIMITS)
    assert "10: 1.000 in" in chart.told(drawn[0])


@pytest.mark.skipif(not DATA.is_dir(), reason="the data folder is not here: name it in FIRMMEM_DATA")
def test_the_sets_have_the_questions_that_the_definitions_leave() -> None:
    from evaluation import sets

    assert sum(len(each.questions) for each in sets.locomo(DATA / "locomo" / "locomo_0_4.json")) == 997
    english, chinese = DATA / "lifebench" / "lb_en.json", DATA / "lifebench" / "lb_zh.json"
    people = sets.lifebench(english, chinese)
    assert (sum(len(each.items) for each in people), sum(len(each.questions) for each in people)) == (3866, 373)
    assert len(sets.cmrc2018(DATA / "cmrc2018" / "cmrc2018_dev.json")[0].questions) == 3219
    assert len(sets.cranfield(DATA / "cranfield")[0].items) == 1398


@pytest.mark.skipif(not DATA.is_dir(), reason="the data folder is not here: name it in FIRMMEM_DATA")
def test_a_write_names_what_its_text_was_altered_from() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "evaluate.py"), "alike", str(DATA), "--sample", "20"],
        capture_output=True,
        check=True,
        text=True,
    )
    shares = [
        float(cell.split("%")[0]) for line in done.stdout.splitlines() for cell in line.split("|") if " of " in cell
    ]
    assert len(shares) == 9
    assert min(shares) >= 70


@pytest.mark.skipif(not DATA.is_dir(), reason="the data folder is not here: name it in FIRMMEM_DATA")
def test_what_the_caps_lose_in_a_crowd_is_told_and_kept(tmp_path: Path) -> None:
    command = ("crowd", DATA, "--size", "300", "--every", "60", "--keep", tmp_path / "kept")
    first = run(*command)
    assert first.returncode == 0, first.stderr
    assert "2,760 turns among 300 other memories." in first.stdout
    ours, uncapped, loss = cells(first.stdout, "all")[2:]
    assert ours == uncapped
    assert float(uncapped) > 0.5
    assert loss == "+.000 (+.000 … +.000)"
    assert run(*command).stdout == first.stdout
