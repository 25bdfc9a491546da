"""The search index as a thing that can break: whether an error is its own, whether it answers, building it anew.

It only mirrors the table of memories, so that nothing is lost with it.
"""

from collections.abc import Callable
from contextlib import suppress

from firmmem.store.migrate import scripts, statements
from firmmem.store.sqlite import Connection, Error, error_name
from firmmem.text.search_words import match_expression

NAME = "memory_words"
LOOKED_FOR = 4  # words of the newest memory: its longest, as a rule its rarest
SIGNS = ("fts5:", "fts5 file format", f"vtable constructor failed: {NAME}", f"no such table: {NAME}")


def is_index_error(error: Error) -> bool:
    """Return whether an error of SQLite's is about the search index alone."""
    return error_name(error) == "SQLITE_CORRUPT_VTAB" or any(sign in str(error) for sign in SIGNS)


def is_searchable(connection: Connection) -> bool:
    """Return whether the newest memory is found by one of its own words: a look that costs next to nothing."""
    newest = connection.execute("SELECT search_id, words FROM memory ORDER BY id DESC LIMIT 1").fetchone()
    words = sorted(newest[1].split(), key=len)[-LOOKED_FOR:] if newest else []
    if not words:
        return True
    either = " OR ".join(match_expression(word) for word in words)
    try:
        found = connection.execute(
            "SELECT 1 FROM memory_words WHERE memory_words MATCH ? AND rowid = ?", (either, newest[0])
        )
        return bool(found.fetchall())
    except Error as error:
        if is_index_error(error):
            return False
        raise


def rebuild_index(connection: Connection, is_complete: Callable[[str], bool]) -> None:
    """Build the search index anew from the memories, in a transaction."""
    connection.execute("SAVEPOINT mend")
    try:
        connection.execute("INSERT INTO memory_words (memory_words) VALUES ('rebuild')")
        if not is_searchable(connection):
            replace_tables(connection, is_complete)
    except Error:  # one of its own tables is gone or altered: make all of them anew
        connection.execute("ROLLBACK TO mend")
        replace_tables(connection, is_complete)
    connection.execute("RELEASE mend")


def replace_tables(connection: Connection, is_complete: Callable[[str], bool]) -> None:
    """Make the index's tables anew, whatever is left of them."""
    every = (statement for script in scripts() for statement in statements(script, is_complete))
    [create] = [statement for statement in every if f"CREATE VIRTUAL TABLE {NAME} " in statement]
    with suppress(Error):  # without its version it can't even be dropped
        connection.execute("INSERT OR REPLACE INTO memory_words_config VALUES ('version', 4)")
    connection.execute(f"DROP TABLE IF EXISTS {NAME}")
    connection.execute(create)
    connection.execute("INSERT INTO memory_words (memory_words) VALUES ('rebuild')")
