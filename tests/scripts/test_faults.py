"""Faults done to real servers, few of each: `scripts/chaos.py` does many. No answered write may be lost."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.checkout import SCRIPTS

if TYPE_CHECKING:
    from faults.result import Result

posix = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))


def nothing() -> None:
    """Tick no progress bar."""


def held(result: "Result") -> None:
    if result.skipped:
        pytest.skip(result.skipped)
    assert result.faults == []
    assert result.answered > 0


@posix
def test_servers_that_write_start_and_end_at_random_lose_nothing(tmp_path: Path) -> None:
    from faults.processes import together

    result = together(tmp_path, servers=4, runs=2, writes=10, tick=nothing)
    held(result)
    assert result.oracle is not None
    assert result.oracle.percentile(0.99) < 10_000


@posix
def test_a_kill_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    from faults.processes import killed

    held(killed(tmp_path, kills=3, tick=nothing))


@posix
def test_a_kill_of_all_servers_loses_nothing(tmp_path: Path) -> None:
    from faults.processes import all_killed

    held(all_killed(tmp_path, servers=3, rounds=1, tick=nothing))


@posix
def test_a_server_that_is_stopped_does_not_freeze_the_other(tmp_path: Path) -> None:
    from faults.processes import stopped

    held(stopped(tmp_path, stops=2, seconds=0.5, tick=nothing))


@posix
def test_after_requests_cancelled_at_any_moment_this_and_another_server_write(tmp_path: Path) -> None:
    from faults.processes import cancelled

    held(cancelled(tmp_path, requests=20, tick=nothing))


@posix
def test_commands_that_look_at_the_file_lose_nothing_while_servers_come_and_go(tmp_path: Path) -> None:
    from faults.commands import beside_servers

    held(beside_servers(tmp_path, rounds=1, tick=nothing))


@posix
def test_a_killed_import_leaves_none_or_all(tmp_path: Path) -> None:
    from faults.commands import import_killed

    held(import_killed(tmp_path, kills=2, memories=500, tick=nothing))


@posix
def test_damaged_files_are_told_or_served_and_a_backup_heals_each(tmp_path: Path) -> None:
    from faults.files import damaged

    held(damaged(tmp_path, files=2, tick=nothing))


@posix
def test_a_file_taken_away_for_a_moment_loses_nothing(tmp_path: Path) -> None:
    from faults.files import taken

    held(taken(tmp_path, times=3, tick=nothing))


def test_a_clock_that_is_set_under_a_server_loses_nothing(tmp_path: Path) -> None:
    from faults.files import stepped

    held(stepped(tmp_path, steps=6, tick=nothing))


def test_lines_that_are_no_messages_end_nothing(tmp_path: Path) -> None:
    from faults.clients import malformed

    held(malformed(tmp_path, lines=60, tick=nothing))


def test_arguments_of_any_size_and_character_end_nothing(tmp_path: Path) -> None:
    from faults.clients import outsized

    held(outsized(tmp_path, calls=4, tick=nothing))


@posix
def test_a_client_that_never_reads_holds_no_other_up(tmp_path: Path) -> None:
    from faults.clients import never_reading

    held(never_reading(tmp_path, clients=1, tick=nothing))


@posix
def test_a_server_ended_while_it_is_busy_keeps_what_it_answers(tmp_path: Path) -> None:
    from faults.clients import ended_while_busy

    held(ended_while_busy(tmp_path, ends=2, tick=nothing))


@pytest.mark.skipif(sys.platform != "linux", reason="mounts as Linux has them")
def test_a_full_disk_is_told_and_writes_go_on_once_there_is_room(tmp_path: Path) -> None:
    from faults.disks import full

    held(full(tmp_path, rounds=1, tick=nothing))


@pytest.mark.skipif(sys.platform != "linux", reason="mounts as Linux has them")
def test_a_disk_that_becomes_read_only_is_recalled_from_and_written_again_later(tmp_path: Path) -> None:
    from faults.disks import read_only

    held(read_only(tmp_path, rounds=1, tick=nothing))


@pytest.mark.skipif(sys.platform != "linux", reason="mounts as Linux has them")
def test_a_loss_of_power_loses_no_answered_write(tmp_path: Path) -> None:
    from faults.disks import power_loss

    held(power_loss(tmp_path, rounds=1, tick=nothing))
