"""`firmmem inbox`, `firmmem pin` and `firmmem namespaces`: what waits, what must be found, what there is."""

import json
import os
import sys
import time
from pathlib import Path

import pytest
from support.firmmem_command import Firmmem


def conflicting(firmmem: Firmmem) -> None:
    firmmem.does("add", "The office is in room 12")
    firmmem.does("add", "The office is in room 14")
    firmmem.does("add", "The lunch is in room 14", "--tier", "draft")


def test_what_waits_is_listed_and_settled_by_its_name(firmmem: Firmmem) -> None:
    assert firmmem.does("inbox") == "Nothing waits in namespace 'default'.\n"
    env = {"FIRMMEM_CORE_WRITE": "propose"}
    conflicting(firmmem)
    firmmem.does("pin", "add", "Where is the lunch?", "--expect", "3", **env)
    firmmem.does("archive", "3")
    assert firmmem("pin", "check").code == 1
    told = json.loads(firmmem.does("inbox", "--json"))
    [pin] = [item for item in told["items"] if item["kind"] == "pin"]
    assert (pin["item"], pin["text"][0], pin["actions"]) == ("pin:1", "Where is the lunch?", {"r": "remove the pin"})
    assert told["waiting"] == len(told["items"])
    assert "Pinned questions that no longer find their answer:\n  Where is the lunch?\n" in firmmem.does("inbox")
    assert f"inbox: {told['waiting']} wait for you in 'default'" in firmmem.does("doctor")
    assert firmmem.does("inbox", "--do", "pin:1=r") == "the pin is removed\n"
    gone = firmmem("inbox", "--do", "pin:1=r")
    assert gone.err.startswith("firmmem: Nothing in the inbox is named 'pin:1'")


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of its own")
def test_in_a_terminal_each_is_asked_about(firmmem: Firmmem) -> None:
    import pty
    import subprocess

    conflicting(firmmem)
    waiting = json.loads(firmmem.does("inbox", "--json"))["items"]
    assert [item["kind"] for item in waiting] == ["conflict"]
    controller, terminal = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "firmmem", "inbox"],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=firmmem.environment(),
        cwd=firmmem.folder,
    )
    os.write(controller, b"x\nk\n")
    out, err = child.communicate(timeout=60)
    os.close(controller)
    os.close(terminal)
    assert child.returncode == 0, err
    assert "1 of 1. Memories that seem to contradict each other:" in out.decode()
    assert "both stay" in out.decode()
    assert firmmem.does("inbox") == "Nothing waits in namespace 'default'.\n"


def test_a_pin_is_added_checked_listed_and_removed(firmmem: Firmmem) -> None:
    firmmem.does("add", "The spare key is under the third stone")
    assert firmmem.does("pin", "list") == "No question is pinned in namespace 'default'.\n"
    assert firmmem.does("pin", "add", "Where is the spare key?", "--expect", "1") == "pin 1: place 1\n"
    assert firmmem.does("pin", "check") == "1 Where is the spare key?: place 1\n"
    firmmem.does("archive", "1")
    ran = firmmem("pin", "check", "--json")
    assert ran.code == 1
    [checked] = json.loads(ran.out)
    day = time.strftime("%Y-%m-%d", time.gmtime())
    assert checked["cause"] in (f"#1 was archived on {day} (archived)", checked["cause"])
    assert checked["cause"].startswith("#1 was archived on ")
    assert "FAILS: #1 was archived" in firmmem.does("pin", "list")
    assert json.loads(firmmem.does("pin", "list", "--json"))[0]["failed"] is True
    assert firmmem.does("pin", "remove", "1") == "pin 1 removed\n"
    assert firmmem("pin", "remove", "1").code == 1


def test_an_import_checks_the_pins(firmmem: Firmmem, tmp_path: Path) -> None:
    firmmem.does("add", "The spare key is under the third stone")
    firmmem.does("export", "before.jsonl")
    firmmem.does("pin", "add", "Where is the spare key?", "--expect", "1")
    firmmem.does("archive", "1")
    other = {"FIRMMEM_DB": str(tmp_path / "other.db")}
    firmmem.does("add", "The boat is called Nora", **other)
    firmmem.does("export", "other.jsonl", **other)
    said = firmmem("import", "other.jsonl")
    assert "pin 1 (Where is the spare key?) FAILS: #1 was archived" in said.err


def test_namespaces_are_listed_with_what_they_hold(firmmem: Firmmem) -> None:
    assert firmmem.does("namespaces").startswith("Nothing is remembered yet in ")
    firmmem.does("add", "Tea is green", "--namespace", "hermes_default")
    firmmem.does("add", "Tea is black")
    firmmem.does("archive", "2")
    assert firmmem.does("namespaces").splitlines() == [
        "hermes_default: 1 in use, 1 in all",
        "default: 0 in use, 1 in all (what commands look at without --namespace)",
    ]
    assert json.loads(firmmem.does("namespaces", "--json"))[0] == {
        "namespace": "hermes_default",
        "active": 1,
        "memories": 1,
    }
    assert "namespaces: memories in use: 'hermes_default' 1, 'default' 0" in firmmem.does("doctor")
