"""`firmmem demo`: the main job on real parts."""

import pytest
from support.firmmem_command import Firmmem

TIERS = ("core", "strategic", "validated", "draft")


@pytest.mark.parametrize("locale", [{}, {"LC_ALL": "C", "PYTHONIOENCODING": "cp1252"}])
def test_it_writes_a_memory_of_each_tier_and_a_new_server_recalls_them(
    firmmem: Firmmem, locale: dict[str, str]
) -> None:
    said = firmmem.does("demo", **locale)
    stored = said.split("=== 3.")[1].split("=== 4.")[0]
    recalled = said.split("=== 4.")[1].split("=== 5.")[0]
    for tier in TIERS:
        assert f" {tier}\n" in stored
        assert f" {tier} 20" in recalled
    assert "score=" in recalled
    assert "用户喜欢喝绿茶" in recalled
    assert "mcp_servers:" in said
    assert str(firmmem.db) in said.split("=== 5.")[1]


def test_it_leaves_the_persons_own_file_alone(firmmem: Firmmem) -> None:
    firmmem.does("demo")
    assert not firmmem.db.exists()


def test_with_a_file_named_its_memories_stay_in_a_namespace_of_their_own(firmmem: Firmmem) -> None:
    file = firmmem.folder / "kept.db"
    firmmem.does("demo", "--db", file)
    assert "teahouse" in firmmem.does("recall", "teahouse", "--db", file, "--namespace", "demo")
    assert "Nothing is remembered" in firmmem.does("recall", "--db", file)
    assert "already known" in firmmem.does("demo", "--db", file)


def test_it_works_under_settings_that_forbid_core_facts_to_agents(firmmem: Firmmem) -> None:
    said = firmmem.does("demo", FIRMMEM_CORE_WRITE="off", FIRMMEM_NAMESPACE_LOCK="true", DEFAULT_NAMESPACE="mine")
    assert "refused" not in said


def test_a_wrong_setting_is_told_before_anything_is_started(firmmem: Firmmem) -> None:
    ran = firmmem("demo", FIRMMEM_SUMMARY_CAP="none at all")
    assert (ran.code, ran.out) == (1, "")
    assert "FIRMMEM_SUMMARY_CAP" in ran.err
