import os
import subprocess
import sys
from importlib.util import find_spec

import pytest
from support.checkout import SCRIPTS

SCRIPT = SCRIPTS / "memtru_adapter.py"


@pytest.mark.skipif(find_spec("memtru") is not None, reason="memtru is installed")
def test_without_the_suite_it_says_what_is_missing_whatever_the_path() -> None:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, SCRIPT], env=env, capture_output=True, text=True, check=False)
    assert done.stderr == "memtru is not installed here: see the top of this file\n"
    assert done.returncode == 1
