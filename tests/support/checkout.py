"""Where this checkout's parts are, for tests of what is outside the package."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
SCRIPTS = CHECKOUT / "scripts"
TESTS = CHECKOUT / "tests"
