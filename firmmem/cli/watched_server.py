"""`python -m firmmem.cli.watched_server FILE`: a server whose attempts to connect are written into a file."""

import sys
from pathlib import Path

from firmmem.doctor.audit import start_audit

if __name__ == "__main__":
    start_audit(Path(sys.argv.pop(1)))
    # Imported once the hook is set, so that what is tried while it is imported is seen too.
    from firmmem.__main__ import serve

    serve()
