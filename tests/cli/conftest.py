"""The command line, ready to run."""

from pathlib import Path

import pytest
from support.firmmem_command import Firmmem


@pytest.fixture
def firmmem(tmp_path: Path) -> Firmmem:
    return Firmmem(tmp_path)
