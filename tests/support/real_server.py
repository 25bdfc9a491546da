"""Real servers on one file, as clients start them, and what is in the file afterwards."""

import json
import os
import sys
from pathlib import Path

import pytest

from support.stdio_client import StdioClient
from support.stores import in_another_process

posix = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")


def server(db: Path, **environment: str) -> StdioClient:
    env = {**os.environ, "FIRMMEM_DB": str(db), "FIRMMEM_ENV_FILE": os.devnull, **environment}
    return StdioClient([sys.executable, "-m", "firmmem"], env=env)


def write(client: StdioClient, summary: str) -> str:
    return client.text("firmmem_write_event_memory", summary=summary)


def rows(db: Path) -> dict[int, str]:
    """Return what is in the file, by another process."""
    done = in_another_process(
        """
        import json, sys
        from firmmem.store.sqlite import connect
        file = connect(sys.argv[1])
        print(json.dumps(file.execute("SELECT id, summary FROM memory").fetchall()))
        """,
        db,
    )
    assert done.returncode == 0, done.stderr
    return {int(id_): text for id_, text in json.loads(done.stdout)}
