"""The script that measures what is refused, on a small set of its own."""

import json
from pathlib import Path

import pytest
from support.checkout import SCRIPTS


def test_it_counts_the_transcripts_and_the_texts_that_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    from measure_refusal import measure

    turns = [("Ann", "Hi! How are you?"), ("Ben", "Fine, thanks!"), ("Ann", "It rains"), ("Ben", "It does")]
    session = [{"speaker": speaker, "text": text} for speaker, text in turns]
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "locomo_0_4.json").write_text(json.dumps([{"conversation": {"session_1": session}}]))
    (tmp_path / "lifebench").mkdir()
    docs = ["The key is " + "AKIA" + "Q" * 16, "Ann: Are you there?\nBen: Yes!", "It rains"]
    (tmp_path / "lifebench" / "lb_en.json").write_text(json.dumps([{"docs": docs}]))
    measure(tmp_path)
    said = capsys.readouterr().out
    assert "| LoCoMo | User, Assistant | 2 of 2 | 1 of 1 | 1 of 1 | 0 of 0 |" in said
    assert "| LoCoMo | their names | 1 of 2 | 1 of 1 | 1 of 1 | 0 of 0 |" in said
    assert "| LoCoMo: turns | 4 | 0 | 0 |" in said
    assert "| LifeBench, en: records | 3 | 1 | 1 |" in said
