"""Three months of a user's life with FirmMem, as chapters of checks."""

import sys
from pathlib import Path

# The clock that the tests turn.
sys.path.append(str(Path(__file__).resolve().parent.parent.parent / "tests"))
