"""Settings: where they are read, what they may be, and how a wrong one is told."""

import logging
import re
from pathlib import Path

import pytest
from support.checkout import CHECKOUT

from firmmem.allowed_values import describe_allowed
from firmmem.env_file import config_folder, data_folder
from firmmem.environment import read_settings
from firmmem.errors import SettingsError
from firmmem.scoring import prior_bound
from firmmem.settings import Settings, variable_name


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An environment whose home is the test's own folder, without an .env file."""
    monkeypatch.delenv("FIRMMEM_ENV_FILE")
    for name in ("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    return monkeypatch


def written(folder: Path, text: str, name: str = "settings.env") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_without_any_setting_the_defaults_hold(env: pytest.MonkeyPatch) -> None:
    assert read_settings() == Settings()
    assert read_settings().db == data_folder() / "firmmem.db"


def test_the_file_is_the_same_from_every_folder(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = set()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        written(tmp_path / name, "DEFAULT_NAMESPACE=of the working folder", ".env")
        env.chdir(tmp_path / name)
        found.add((read_settings().db, read_settings().namespace))
    [(db, namespace)] = found
    assert db.is_absolute()
    assert namespace == "default"


def test_a_relative_file_lies_in_the_data_folder_and_that_is_said(
    env: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    env.setenv("FIRMMEM_DB", "work/memory.db")
    assert read_settings().db == data_folder() / "work" / "memory.db"
    assert str(data_folder() / "work" / "memory.db") in caplog.text


def test_a_tilde_is_the_home_folder(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env.setenv("FIRMMEM_DB", "~/memory.db")
    assert read_settings().db == tmp_path / "memory.db"


def test_a_tilde_of_nobody_is_told(env: pytest.MonkeyPatch) -> None:
    env.setenv("FIRMMEM_DB", "~nobody-of-this-name/memory.db")
    with pytest.raises(SettingsError, match="FIRMMEM_DB"):
        read_settings()


@pytest.mark.parametrize("word", ["1", "true", "TRUE", " yes ", "on"])
def test_words_for_on_are_true(env: pytest.MonkeyPatch, word: str) -> None:
    env.setenv("FIRMMEM_NAMESPACE_LOCK", word)
    assert read_settings().namespace_lock


@pytest.mark.parametrize("word", ["0", "false", "No", "off", "", "  ", "null"])
def test_words_for_off_are_false(env: pytest.MonkeyPatch, word: str, caplog: pytest.LogCaptureFixture) -> None:
    env.setenv("FIRMMEM_NAMESPACE_LOCK", word)
    assert not read_settings().namespace_lock
    assert not caplog.records


@pytest.mark.parametrize("field", [field for field, info in Settings.model_fields.items() if info.annotation is bool])
def test_another_word_is_the_default_with_a_warning_also_for_the_lock(
    env: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, field: str
) -> None:
    name = variable_name(field)
    env.setenv(name, "maybe")
    assert getattr(read_settings(), field) is Settings.model_fields[field].default
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert f"{name} is 'maybe', which is neither true nor false: it is taken as false" in caplog.text


@pytest.mark.parametrize("field", Settings.model_fields)
def test_an_unfilled_placeholder_is_named_whatever_the_setting(env: pytest.MonkeyPatch, field: str) -> None:
    env.setenv(variable_name(field), "${HOME_OF_NOBODY}")
    with pytest.raises(SettingsError, match=re.escape("${HOME_OF_NOBODY}")) as raised:
        read_settings()
    assert variable_name(field) in str(raised.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DRAFT_BASE_HALF_LIFE", "a week"),
        ("DRAFT_BASE_HALF_LIFE", "0"),
        ("VALIDATED_BASE_HALF_LIFE", "nan"),
        ("STRATEGIC_BASE_HALF_LIFE", "inf"),
        ("CONSOLIDATION_BASE", "-1"),
        ("FEEDBACK_POS_DELTA", "1"),
        ("FIRMMEM_PRIOR_STRENGTH", "1.1"),
        ("FIRMMEM_SUMMARY_CAP", "2000.5"),
        ("FIRMMEM_CORE_WRITE", "maybe"),
        ("FIRMMEM_LOG_LEVEL", "loud"),
        ("DEFAULT_NAMESPACE", "n" * 201),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(env: pytest.MonkeyPatch, name: str, value: str) -> None:
    env.setenv(name, value)
    with pytest.raises(SettingsError) as raised:
        read_settings()
    field = next(field for field in Settings.model_fields if variable_name(field) == name)
    assert f"{name} is " in str(raised.value)
    assert describe_allowed(field) in str(raised.value)


def test_all_wrong_values_are_named_at_once(env: pytest.MonkeyPatch) -> None:
    env.setenv("CONSOLIDATION_BASE", "x")
    env.setenv("FIRMMEM_LOG_LEVEL", "y")
    with pytest.raises(SettingsError, match=r"CONSOLIDATION_BASE.*FIRMMEM_LOG_LEVEL"):
        read_settings()


def test_good_feedback_may_not_weigh_as_much_as_bad(env: pytest.MonkeyPatch) -> None:
    env.setenv("FEEDBACK_POS_DELTA", "0.3")
    with pytest.raises(SettingsError, match=r"FEEDBACK_NEG_DELTA is 0\.3: it must be greater than FEEDBACK_POS_DELTA"):
        read_settings()


def test_words_are_understood_in_any_case(env: pytest.MonkeyPatch) -> None:
    env.setenv("FIRMMEM_CORE_WRITE", " OFF ")
    env.setenv("FIRMMEM_LOG_LEVEL", "info")
    assert (read_settings().core_write, read_settings().log_level) == ("off", "INFO")


def test_variables_of_other_programs_are_not_settings(env: pytest.MonkeyPatch) -> None:
    own = {variable_name(field) for field in Settings.model_fields}
    for name in {*Settings.model_fields, *map(str.upper, Settings.model_fields)} - own:
        env.setenv(name, "of another program")
    assert read_settings() == Settings()


def test_the_environment_comes_before_the_file(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = written(tmp_path, "DEFAULT_NAMESPACE=of the file\nCONSOLIDATION_BASE=2\n")
    env.setenv("FIRMMEM_ENV_FILE", str(file))
    env.setenv("DEFAULT_NAMESPACE", "of the environment")
    assert (read_settings().namespace, read_settings().consolidation_base) == ("of the environment", 2)


def test_a_variable_left_empty_leaves_the_file_its_say(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env.setenv("FIRMMEM_ENV_FILE", str(written(tmp_path, "DEFAULT_NAMESPACE=of the file\n")))
    env.setenv("DEFAULT_NAMESPACE", "")
    assert read_settings().namespace == "of the file"


def test_the_file_in_the_configuration_folder_is_read(env: pytest.MonkeyPatch) -> None:
    config_folder().mkdir(parents=True)
    written(config_folder(), "DEFAULT_NAMESPACE=记忆\n", ".env")
    assert read_settings().namespace == "记忆"


def test_a_placeholder_in_the_file_is_reported_and_not_filled_with_nothing(
    env: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    env.setenv("FIRMMEM_ENV_FILE", str(written(tmp_path, "FIRMMEM_DB=${NOT_SET}/memory.db\n")))
    with pytest.raises(SettingsError, match="FIRMMEM_DB"):
        read_settings()


def test_a_windows_path_in_the_file_keeps_its_backslashes(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env.setenv("FIRMMEM_ENV_FILE", str(written(tmp_path, "FIRMMEM_DB=C:\\new\\table.db\n")))
    assert str(read_settings().db).endswith("C:\\new\\table.db")


@pytest.mark.parametrize("name", ["missing.env", "n" * 5_000, ""])
def test_a_named_file_that_is_missing_is_told(env: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    env.setenv("FIRMMEM_ENV_FILE", str(tmp_path / name))
    with pytest.raises(SettingsError, match="FIRMMEM_ENV_FILE"):
        read_settings()


def test_a_file_that_can_not_be_read_is_told(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "settings.env"
    file.write_bytes("DEFAULT_NAMESPACE=记忆".encode("gb18030"))
    env.setenv("FIRMMEM_ENV_FILE", str(file))
    with pytest.raises(SettingsError, match="not UTF-8"):
        read_settings()


def test_a_slip_in_the_file_is_told(env: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    env.setenv("FIRMMEM_ENV_FILE", str(written(tmp_path, "DEFAULT_NAMESPCE=work\n")))
    read_settings()
    assert "is DEFAULT_NAMESPACE meant?" in caplog.text


def test_the_example_file_names_every_setting_with_its_sentence_and_its_default(
    env: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (CHECKOUT / ".env.example").read_text(encoding="utf-8")
    assert re.findall(r"^# ([A-Z_]+)=", text, re.MULTILINE) == [variable_name(field) for field in Settings.model_fields]
    for info in Settings.model_fields.values():
        assert f"# {info.description}\n" in text
    uncommented = re.sub(r"^# ([A-Z_]+=)", r"\1", text, flags=re.MULTILINE)
    env.setenv("FIRMMEM_ENV_FILE", str(written(tmp_path, uncommented)))
    assert read_settings() == Settings()


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("db", "a path"),
        ("namespace", "a name of at most 200 characters"),
        ("namespace_lock", "true or false"),
        ("summary_cap", "a whole number from 100 to 100,000"),
        ("feedback_pos_delta", "a number above 0 and below 1"),
        ("core_write", "add, propose or off"),
        ("model", "a name that `firmmem model list` shows"),
        ("model_dir", "the path of a folder"),
    ],
)
def test_what_a_setting_may_be_is_said_in_words(field: str, words: str) -> None:
    assert describe_allowed(field) == words


@pytest.mark.parametrize("page", ["docs/scoring.md", "docs/zh/scoring.md"])
def test_the_page_of_scoring_prints_the_bound_of_the_default_prior_strength(page: str) -> None:
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    strength = Settings().prior_strength
    assert f"s = {strength:g}" in text
    assert f"B = {prior_bound(strength):.3f}" in text
    assert f"1/B = {1 / prior_bound(strength):.2f}" in text


@pytest.mark.parametrize("readme", ["README.md", "README.zh-CN.md"])
def test_the_readme_prints_the_formula_of_the_default_settings(readme: str) -> None:
    text = (CHECKOUT / readme).read_text(encoding="utf-8")
    settings = Settings()
    strength = settings.prior_strength
    for factor in ("RFM", "Trust", "StrategyAlign"):
        assert f"({1 - strength:g} + {strength:g} × {factor})" in text
    assert f"{1 / prior_bound(strength):.2f}" in text
    for half_life in (settings.draft_half_life, settings.validated_half_life, settings.strategic_half_life):
        assert re.search(rf"\b{half_life:g}\b", text)
