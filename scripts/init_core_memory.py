"""Builds the baseline core facts, by asking or from a file: `firmmem init` by another name.

python scripts/init_core_memory.py                        asks in the terminal
python scripts/init_core_memory.py my_facts.toml          reads a TOML, JSON or Markdown file
python scripts/init_core_memory.py --help                 the rest
"""

import sys

try:
    from firmmem.cli import app
except ModuleNotFoundError as missing:
    sys.exit(f"FirmMem is not installed in this Python ({missing.name} is missing): run `pip install -e .` first.")

if __name__ == "__main__":
    app(["init", *sys.argv[1:]])
