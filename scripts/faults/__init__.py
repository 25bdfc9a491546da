"""Faults, done to real servers on files of their own, and held to an oracle of what was answered."""

import sys
from pathlib import Path

# The client that the tests speak with, which sees every byte.
sys.path.append(str(Path(__file__).resolve().parent.parent.parent / "tests"))
