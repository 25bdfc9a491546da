"""The SQLite library of this process: a current one where a wheel brings it, else Python's own.

One library per process: a second one that closes the file would drop the first one's locks, and its errors are not
the other's. So it is chosen here, and `database` hands it on.
"""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3 as library
else:
    try:
        import pysqlite3 as library
    except ImportError:
        import sqlite3 as library

Connection = library.Connection
Error = library.Error
Row = library.Row
connect = library.connect
complete_statement = library.complete_statement
SQLITE_VERSION = library.sqlite_version_info

MODULE = library.__name__.partition(".")[0]

OLDEST = (3, 37, 0)  # STRICT tables
FIXED = (3, 51, 3)  # the WAL-reset bug, see `affected`
BACKPORTS = {(3, 44): 6, (3, 50): 7}


def has_wal_bug(sqlite_version: tuple[int, int, int] = SQLITE_VERSION) -> bool:
    """Return whether this SQLite can corrupt a WAL file that two connections write and checkpoint.

    The bug is in 3.7.0 to 3.51.2, with the fix ported back to 3.44.6 and 3.50.7.
    """
    if sqlite_version >= FIXED:
        return False
    return sqlite_version[2] < BACKPORTS.get(sqlite_version[:2], math.inf)


def error_name(error: BaseException) -> str:
    """Return what SQLite calls an error, such as SQLITE_BUSY; nothing where it says no more than a sentence."""
    return str(getattr(error, "sqlite_errorname", "") or "")


def is_busy(error: Error) -> bool:
    """Return whether SQLite says that another process holds the file."""
    return error_name(error).startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or "locked" in str(error)
