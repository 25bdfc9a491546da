"""The JSON schemas of the tools' arguments, as tool_schemas.json has them.

That file is made from the tools' signatures by scripts/docs_tables.py: a server that starts has no time for it.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def schemas() -> Mapping[str, dict[str, Any]]:
    """Return each tool's schema by the tool's name."""
    text = Path(__file__).with_name("tool_schemas.json").read_text(encoding="utf-8")
    read: dict[str, dict[str, Any]] = json.loads(text)
    return read
