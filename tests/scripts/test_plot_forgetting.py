"""The picture in the documents is what its script draws."""

import subprocess
import sys
from pathlib import Path

from support.checkout import SCRIPTS

EBBINGHAUS = "delay_in_hours,percent_savings\n0.33,58.2\n1,44.2\n8.8,35.8\n24,33.7\n48,27.8\n144,25.4\n744,21.1\n"


def test_the_picture_is_drawn_from_the_values_and_the_settings(tmp_path: Path) -> None:
    (tmp_path / "values.csv").write_text(EBBINGHAUS, encoding="utf-8")
    command = [sys.executable, SCRIPTS / "plot_forgetting.py", tmp_path / "values.csv", "--svg", tmp_path / "drawn.svg"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "half-life 0.04 days, error 0.254" in done.stdout
    assert "formula: error 0.018" in done.stdout
    assert (tmp_path / "drawn.svg").read_text(encoding="utf-8") == (SCRIPTS / "forgetting.svg").read_text("utf-8")
