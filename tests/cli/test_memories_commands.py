"""`firmmem list`, `show`, `add`, `edit`, `archive`, `restore`, `vote`, `undo`: a person corrects what is remembered."""

import json
from typing import Any

from support.firmmem_command import Firmmem


def listed(firmmem: Firmmem, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(firmmem.does("list", "--json", *arguments))["memories"]
    return found


def test_what_is_remembered_is_added_listed_edited_and_taken_back(firmmem: Firmmem) -> None:
    assert firmmem.does("list") == "No memory in namespace 'default' passes these filters.\n"
    assert not firmmem.db.exists()
    assert firmmem.does("add", "The office is in Lisbon", "--subject", "Office", "--tag", "place").startswith(
        "stored #1 validated"
    )
    assert firmmem.does("add", "Ship in May", "--tier", "strategic", "--goal", "beta").startswith("stored #2 strategic")
    first, second = firmmem.does("list").splitlines()
    assert first.startswith("#2 strategic ")
    assert first.endswith("trust=0.80 (goal beta) Ship in May")
    assert second.endswith("trust=0.70 {Office} [place] The office is in Lisbon")
    said = firmmem("edit", "#1", "The office is in Porto", "--no-tags")
    assert said.out.splitlines()[1].startswith("now  #1 validated")
    assert said.err == "`firmmem undo 3` takes this back.\n"
    assert [(each["id"], each["text"], each["tags"]) for each in listed(firmmem, "office")] == [
        (1, "The office is in Porto", [])
    ]
    assert "#3 validated" in firmmem.does("show", "1")
    assert firmmem.does("undo") == "run 3 (edit): 1 taken back\n"
    assert [each["text"] for each in listed(firmmem, "--tag", "place")] == ["The office is in Lisbon"]
    assert firmmem.does("undo") == "run 2 (add): 2 taken back\n"  # the memory, and the goal that it opened
    assert [each["id"] for each in listed(firmmem, "--state", "archived")] == [2]


def test_one_is_put_away_without_a_question_and_several_only_by_yes(firmmem: Firmmem) -> None:
    for text in ("The cat is grey", "The dog is black"):
        firmmem.does("add", text)
    assert firmmem.does("archive", "1", "--reason", "it ran away") == "#1 archived\n"
    asked = firmmem("archive", "1,2")
    assert (asked.code, asked.err) == (
        2,
        "firmmem: there is nobody to ask whether to archive 2 memories: add --yes.\n",
    )
    done = json.loads(firmmem.does("archive", "1", "2", "--yes", "--json"))
    assert done == {"lines": ["#1 is already archived", "#2 archived"], "done": 1, "run": 4}
    assert "it ran away" in firmmem.does("show", "1")
    assert firmmem.does("restore", "1", "2") == "#1 restored\n#2 restored\n"
    assert firmmem("restore", "1").code == 1
    runs = firmmem.does("runs").splitlines()
    said = [line.split(" ", 2)[2] for line in runs[:2]]
    assert said == [
        "restore (by a person): 2 changed",
        "archive (by a person): 1 changed",
    ]


def test_a_core_fact_is_listed_edited_and_put_away_like_any_other(firmmem: Firmmem) -> None:
    firmmem.does("core", "add", "The user's name is Ada", "--subject", "user.name")
    shown = json.loads(firmmem.does("edit", "1", "The user's name is Grace", "--json"))
    assert (shown["text"], shown["tier"], shown["run"]) == ("The user's name is Grace", "core", 2)
    assert firmmem.does("archive", "1") == "#1 archived\n"
    assert firmmem.does("undo", "3") == "run 3 (archive): 1 taken back\n"
    assert firmmem.texts() == ["The user's name is Grace"]
    assert firmmem.does("core", "remove", "1", "--yes").startswith("removed #1")
    assert firmmem.does("undo").startswith("run 4 (core remove): 1")


def test_a_vote_by_hand_moves_trust_and_is_in_the_ledger(firmmem: Firmmem) -> None:
    firmmem.does("add", "The kettle leaks", "--tier", "draft")
    assert firmmem.does("vote", "verified", "1", "--note", "seen today") == "#1 trust 0.50 → 0.70, draft → validated\n"
    [shown] = json.loads(firmmem.does("show", "1", "--json"))
    assert [(vote["client"], vote["note"]) for vote in shown["votes"]] == [("person", "seen today")]
    assert [(move["from"][0], move["to"][0], move["run"]) for move in shown["moves"]] == [("draft", "validated", 2)]


def test_what_is_asked_wrongly_is_said_in_one_sentence(firmmem: Firmmem) -> None:
    firmmem.does("add", "The kettle leaks")
    for arguments, code, sentence in (
        (("list", "--state", "lost"), 2, "'lost' is no state: name active, archived, superseded, quarantined, or all."),
        (("list", "--tier", "gold"), 2, "'gold' is no tier: name core, strategic, validated, draft."),
        (("show", "kettle"), 2, "'kettle' is no id: give a number as `firmmem list` shows it."),
        (("show", "9"), 1, "There is no memory #9 in namespace 'default': see firmmem list."),
        (("vote", "good", "1"), 2, "'good' is no outcome: name positive, negative or verified."),
        (("edit", "1"), 2, "nothing to change: give the new text, or "),
        (("undo", "9"), 1, "There is no run 9 that changed anything: see firmmem runs."),
    ):
        ran = firmmem(*arguments)
        assert ran.code == code
        assert ran.err.startswith(f"firmmem: {sentence}")
    missing = firmmem("undo", FIRMMEM_DB=str(firmmem.folder / "other.db"))
    assert "does not exist" in missing.err


def test_a_long_list_is_read_page_by_page(firmmem: Firmmem) -> None:
    for number in range(3):
        firmmem.does("add", f"Note {number}")
    first = firmmem("list", "--limit", "2")
    assert first.err == "There are more: add --below 2 for the next page.\n"
    assert [each["id"] for each in listed(firmmem, "--limit", "2", "--below", "2")] == [1]
