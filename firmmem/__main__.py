"""`python -m firmmem`: serve over stdio, or do what the command line says; `firmmem-mcp`: serve."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer import Typer

ABOUT = """\
FirmMem serves the Model Context Protocol on stdin and stdout, to be started by a client.
`firmmem config` prints what to paste into Hermes, Claude Desktop, Claude Code, Cursor or VS Code;
`firmmem demo` shows it at work."""


HELP = frozenset({"--help", "--check"})  # what the command line answers, and no hook


def main() -> None:
    """Serve where no other command is given; else run the command."""
    if sys.argv[1:] in ([], ["serve"]):
        serve()
    elif sys.argv[1:3] == ["serve", "--db"] and len(sys.argv) == 4:
        serve(sys.argv[3])
    elif sys.argv[1:2] == ["hook"] and not HELP & set(sys.argv[2:]):
        # Before all others: a hook has no time to import the command line.
        from firmmem.hook.run import main as answer_hook

        answer_hook(sys.argv[2:])
    elif sys.argv[1:] == ["provider"]:
        provide()
    else:
        command_line()()


def command_line() -> "Typer":
    """Return the commands; `serve` and `provider` join them here, since no layer below sees the server."""
    # Imported here: the command line's library is no business of a server that starts.
    from firmmem.cli import app
    from firmmem.cli.terminal import Db

    def serve_file(db: Db = None) -> None:
        serve(str(db) if db else "")

    app.command("serve", help=serve.__doc__)(serve_file)
    app.command("provider")(provide)
    return app


def server() -> None:
    """Serve as `firmmem-mcp` does; with arguments say what it is, or that it takes none, and end the process."""
    if arguments := [each for each in sys.argv[1:] if each.strip()]:  # some clients send an empty one
        handle_arguments(arguments)
        return
    serve()


def handle_arguments(arguments: list[str]) -> None:
    """Do what the arguments of `firmmem-mcp` ask for, or end the process with exit code 2 where it has none such."""
    # Imported here: a client starts the server without arguments.
    from argparse import ArgumentParser, RawDescriptionHelpFormatter

    from firmmem import __version__

    parser = ArgumentParser(
        "firmmem-mcp",
        description=ABOUT,
        epilog="Settings are environment variables, or lines of an .env file; other commands are those of `firmmem`.",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"firmmem {__version__}")
    parser.add_argument("--db", default="", metavar="FILE", help="the SQLite file, instead of the one in the settings")
    asked, unknown = parser.parse_known_args(arguments)
    if unknown:
        parser.error(f"it serves without commands and knows no {' '.join(unknown)!r}: see --help")
    serve(asked.db)


def serve(db: str = "") -> None:
    """Serve one file over stdio until the client hangs up; in a terminal, say first how to connect one."""
    with pause_garbage_collection():
        from firmmem.stdio import serve

        if sys.stdin is not None and sys.stdin.isatty():
            sys.stderr.write(f"{ABOUT} Ctrl-C ends this.\n")
        streams = serve.claim_stdio()
        # Imported once stdout is the protocol's alone: whatever its dependencies print must not reach the client.
        from firmmem.edge import server

    server.main(streams, db)


def provide() -> None:
    """Serve a host's own memory plugin, such as the one of Hermes, by JSON lines over stdio."""
    with pause_garbage_collection():
        from firmmem.stdio import serve

        streams = serve.claim_stdio()
        from firmmem.edge import provider

    provider.main(streams)


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Look for no garbage in what the block imports, now or later: there is none, and looking takes a tenth of a start.

    A block that raises ends the process.
    """
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


if __name__ == "__main__":
    main()
