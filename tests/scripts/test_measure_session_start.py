"""The script that measures what a session starts with."""

import pytest
from support.checkout import SCRIPTS


def test_all_that_matters_is_there_where_the_old_rule_cut_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    from measure_session_start import measure

    measure("100")
    said = capsys.readouterr().out
    assert "| 100 | 7 of 12 | 0 of 6 | 0 of 5 | 12 of 12 | 6 of 6 | 5 of 5 |" in said
