"""The commands by name. Each imports what it needs when it runs, so that `--help` answers at once."""

from pathlib import Path
from typing import Annotated, Any

import typer

from firmmem import __version__
from firmmem.cli import (
    anomalies,
    backup,
    by_hand,
    connect,
    core,
    doctor,
    erase,
    exchange,
    explain,
    goal,
    hook,
    inbox,
    life,
    memories,
    model,
    pin,
    proposals,
    recall,
    votes,
)
from firmmem.cli.terminal import WIDEST, Commands, Db, Namespace, choose_file, fail, say
from firmmem.connect.hosts import HOSTS

FIRST = (  # what a newcomer needs, in that order
    *("init", "connect", "config", "demo", "recall", "list", "show", "add", "edit", "archive", "restore", "erase"),
    *("vote", "inbox", "core", "doctor", "undo"),
)


class InOrder(Commands):
    """The commands, those that a newcomer needs first."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return their names in the order in which help and documents show them."""
        names = super().list_commands(ctx)
        return [*(name for name in FIRST if name in names), *(name for name in names if name not in FIRST)]


app = typer.Typer(
    cls=InOrder,
    name="firmmem",
    help="Long-term memory for AI agents: an MCP server over one SQLite file.",
    epilog="Without a command it serves stdio, as `serve` and firmmem-mcp do.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST},
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(core.app, name="core")
core.app.command()(proposals.proposals)
core.app.command()(proposals.accept)
core.app.command()(proposals.refuse)
app.add_typer(goal.app, name="goal")
app.add_typer(pin.app, name="pin")
app.command()(inbox.inbox)
app.command()(inbox.namespaces)
app.add_typer(life.app)
app.add_typer(backup.app, name="backup")
app.add_typer(model.app, name="model")
app.command()(model.embed)
app.command()(doctor.doctor)
app.command()(exchange.export)
app.command("import")(exchange.import_)
app.command()(connect.connect)
app.command()(connect.disconnect)
app.command()(connect.status)
app.command()(hook.hook)
app.command()(hook.shown)


def show_version(asked: bool) -> None:
    """Print the version, if it was asked for, and end."""
    if asked:
        say(f"firmmem {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Long-term memory for AI agents: an MCP server over one SQLite file."""
    del version


@app.command()
def init(
    file: Annotated[
        Path | None, typer.Argument(help="A TOML, JSON or Markdown file; without one you are asked.")
    ] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Ask in the terminal, after the file if there is one.")] = False,
    example: Annotated[bool, typer.Option("--example", help="Print a file to start from, and stop.")] = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Build the baseline core facts from a file, or by asking; run again, it adds only what is new."""
    from firmmem.cli import init as initial

    if example:
        say(initial.example_file().rstrip())
        return
    settings, space = choose_file(db, namespace)
    initial.add_facts(settings, space, file, ask=ask)


app.command()(recall.recall)
app.command("list")(memories.list_)
app.command()(memories.show)
app.command()(by_hand.add)
app.command()(by_hand.edit)
app.command()(by_hand.archive)
app.command()(by_hand.restore)
app.command()(erase.erase)
app.command()(by_hand.vote)
app.command()(explain.explain)
app.command()(explain.curve)
app.command()(votes.trust)
app.command()(votes.revoke)
app.command()(anomalies.anomalies)
app.command()(anomalies.release)
app.command()(anomalies.conflicts)


@app.command()
def config(
    host: Annotated[str, typer.Argument(help=f"{', '.join(HOSTS)}, or all.")] = "all",
    namespace: Annotated[str, typer.Option("--namespace", "-n", help="Instead of the usual one of the host.")] = "",
    db: Db = None,
) -> None:
    """Print what to paste into a client, with this installation's absolute paths."""
    from firmmem.cli.config import show, show_all

    asked = host.strip().lower()
    if asked not in (*HOSTS, "all"):
        fail(f"there is no host {host!r}: name one of {', '.join(HOSTS)}, or all.", 2)
    settings, _ = choose_file(db, namespace)
    if asked == "all":
        show_all(settings, namespace)
    else:
        show(asked, settings, namespace)


@app.command()
def demo(
    db: Annotated[Path | None, typer.Option("--db", help="Keep the demo's memories in this file.")] = None,
) -> None:
    """Show it at work: a real server over stdio, core facts, a memory of each tier, a recall with scores."""
    from firmmem.cli.demo import demonstrate

    settings, _ = choose_file(None, "")
    demonstrate(settings, db.expanduser().absolute() if db else None)
