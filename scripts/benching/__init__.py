"""How fast the server answers, beside a server on the same SDK that does nothing."""

import sys
from pathlib import Path

# The client that the tests speak to servers with times them here.
sys.path.append(str(Path(__file__).resolve().parent.parent.parent / "tests"))
