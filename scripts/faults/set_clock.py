"""`python set_clock.py FILE`: a server whose clock is as many seconds ahead as the file says, at each moment."""

import sys
import time
from pathlib import Path

if __name__ == "__main__":
    ahead, clock = Path(sys.argv.pop(1)), time.time
    time.time = lambda: clock() + float(ahead.read_text(encoding="utf-8") or 0)
    # Imported once the clock is set: what is imported takes it from there.
    from firmmem.__main__ import serve

    serve()
