"""`python -m firmmem`: serve over stdio, or do what the command line says."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer import Typer


def main() -> None:
    """Serve where no other command is given; else run the command."""
    if sys.argv[1:] in ([], ["serve"]):
        serve()
    else:
        command_line()()


def command_line() -> "Typer":
    """Return the commands; `serve` joins them here, since no layer below sees the server."""
    # Imported here: the command line's library is no business of a server that starts.
    from firmmem.cli import app

    app.command()(serve)
    return app


def serve() -> None:
    """Serve one file over stdio until the client hangs up; in a terminal, say first how to connect one."""
    from firmmem import stdio

    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write(
            "FirmMem serves the Model Context Protocol on stdin and stdout, to be started by a client.\n"
            "`firmmem config` prints what to paste into Hermes, Claude Desktop, Claude Code, Cursor or VS Code;\n"
            "`firmmem demo` shows it at work. Ctrl-C ends this.\n"
        )
    streams = stdio.claim()
    # Imported once stdout is the protocol's alone: whatever its dependencies print must not reach the client.
    from firmmem import server

    server.main(streams)


if __name__ == "__main__":
    main()
