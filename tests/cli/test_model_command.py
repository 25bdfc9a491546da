"""`firmmem embed` and `firmmem model`, in processes of their own, with the model of the checkout."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.stores import planted

from firmmem.encoder.models import DEFAULT, list_models
from firmmem.settings import Settings
from firmmem.store.opening import open_connection

needs_model = pytest.mark.skipif(
    DEFAULT not in list_models() or find_spec("onnxruntime") is None,
    reason="the model or the extra `semantic` is not installed",
)


def firmmem(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "firmmem", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


@needs_model
def test_every_memory_is_embedded_once(settings: Settings) -> None:
    connection = open_connection(settings)
    for text in ("The office is in Lisbon", "办公室在里斯本", "Deploys happen on Friday"):
        planted(connection, summary=text)
    connection.close()
    first = firmmem("embed", "--db", settings.db)
    assert first.returncode == 0, first.stderr
    assert first.stdout.splitlines()[-1] == "3 memories embedded; every memory has a vector now."
    again = firmmem("embed", "--db", settings.db)
    assert again.stdout == "Every memory has a vector already.\n"


@needs_model
def test_what_is_not_installed_is_told_in_one_sentence(settings: Settings) -> None:
    connection = open_connection(settings)
    planted(connection, summary="The office is in Lisbon")
    connection.close()
    without = "import sys; sys.modules['onnxruntime'] = None; from firmmem.cli import app; app()"
    command = [sys.executable, "-c", without, "embed", "--db", str(settings.db)]
    failed = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.startswith("firmmem: onnxruntime is not installed: pip install ")
    assert failed.stderr.count("\n") == 1
    assert firmmem("embed", "--db", settings.db).stdout.splitlines()[-1].startswith("1 memory embedded; ")


@needs_model
def test_the_models_are_listed_verified_and_found() -> None:
    listed = firmmem("model", "list")
    assert f"{DEFAULT} (the default)" in listed.stdout
    assert firmmem("model", "verify").stdout.startswith(f"{DEFAULT}: ")
    assert Path(firmmem("model", "path").stdout.strip()).joinpath("model.onnx").is_file()


def test_an_unknown_model_is_told_in_one_sentence() -> None:
    failed = firmmem("model", "verify", "nosuch")
    assert failed.returncode == 1
    assert failed.stderr.startswith("firmmem: There is no model nosuch on this machine")
    assert "Traceback" not in failed.stderr


def test_without_a_file_there_is_nothing_to_embed(tmp_path: Path) -> None:
    done = firmmem("embed", "--db", tmp_path / "none.db")
    assert (done.returncode, done.stdout) == (0, f"Nothing to embed: {tmp_path / 'none.db'} does not exist.\n")
    assert not (tmp_path / "none.db").exists()
