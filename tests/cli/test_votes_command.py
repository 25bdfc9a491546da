"""`firmmem trust` and `firmmem revoke`."""

import pytest
from support.firmmem_command import Firmmem
from support.stores import START, Clock, write_one

from firmmem.contract import Author
from firmmem.memory.trust.feedback import record_feedback
from firmmem.settings import Settings
from firmmem.store.opening import open_connection
from firmmem.store.statements import transaction


@pytest.fixture
def voted(firmmem: Firmmem, clock: Clock) -> Firmmem:
    settings = Settings(db=firmmem.db)
    connection = open_connection(settings)
    with transaction(connection):
        write_one(connection, settings, "Tests run with make check")
        for client, session, outcome, note in (
            ("cursor", "s1", "negative", "it is tox"),
            ("cursor", "s1", "positive", ""),
            ("hermes", "s2", "negative", "no\nit fails"),
        ):
            record_feedback(
                connection, [1], outcome, Author(client, session), settings,
                namespace="default", branch="", note=note, now=clock(),
            )  # type: ignore[arg-type]  # fmt: skip
    connection.close()
    assert clock() == START
    return firmmem


def test_every_vote_is_told_with_what_it_did(voted: Firmmem) -> None:
    told = voted.does("trust", "#1").splitlines()
    assert told[0] == "#1 2026-05-16 Tests run with make check"
    assert told[1] == "draft, active: trust 0.50 at first, 0.3850 now"
    assert told[2].startswith('2026-05-16T00:00:00Z  negative  0.5000 → 0.3500  cursor, session s1  "it is tox"')
    assert told[2].endswith("(replaced by a later vote of this session)")
    assert told[4].endswith('hermes, session s2  "no it fails"')
    assert told[5] == "by the votes that count: 0.5000 → positive 0.5500 → negative 0.3850"
    assert len(told) == 6


def test_a_memory_without_votes_and_one_that_does_not_exist_are_told(voted: Firmmem) -> None:
    voted.does("core", "add", "Is called Ada")
    assert "Nobody has voted" in voted.does("trust", "2")
    assert "no memory #9" in voted("trust", "9").err
    assert "no memory #1 in namespace 'other'" in voted("trust", "1", "--namespace", "other").err


def test_a_clients_votes_are_taken_back_and_stay_in_the_ledger(voted: Firmmem) -> None:
    said = voted.does("revoke", "--client", "hermes", "--yes", "--reason", "prompt injection")
    assert said.splitlines() == ["#1 trust 0.39 → 0.55", "1 vote of 'hermes' on 1 memory taken back."]
    *_, last, fold = voted.does("trust", "1").splitlines()
    assert "(revoked 2" in last
    assert "0.3850 → 0.5500: prompt injection)" in last
    assert fold == "by the votes that count: 0.5000 → positive 0.5500"
    assert "No vote of 'hermes' counts." in voted.does("revoke", "--client", "hermes", "-y")


def test_one_session_is_taken_back_alone(voted: Firmmem) -> None:
    assert "No vote" in voted.does("revoke", "--client", "cursor", "--session", "s2", "-y")
    assert "2 votes of 'cursor', session s1" in voted.does("revoke", "--client", "cursor", "--session", "s1", "-y")


def test_nobody_to_ask_means_nothing_is_taken_back(voted: Firmmem) -> None:
    ran = voted("revoke", "--client", "hermes")
    assert ran.code == 2
    assert "add --yes" in ran.err
    assert "0.3850 now" in voted.does("trust", "1")


def test_a_locked_process_takes_back_only_its_own(voted: Firmmem) -> None:
    said = voted.does("revoke", "--client", "hermes", "-y", DEFAULT_NAMESPACE="own", FIRMMEM_NAMESPACE_LOCK="true")
    assert said == "No vote of 'hermes', namespace 'own' counts.\n"


@pytest.mark.parametrize(
    "command",
    [
        ("trust", "1"),
        ("revoke", "--client", "hermes", "-y"),
        ("explain", "1"),
        ("curve", "1"),
        ("release", "1"),
        ("core", "accept", "1"),
        ("core", "refuse", "1"),
    ],
)
def test_looking_for_something_makes_no_file(firmmem: Firmmem, command: tuple[str, ...]) -> None:
    ran = firmmem(*command)
    assert (ran.code, "does not exist" in ran.err) == (1, True)
    assert not firmmem.db.exists()
