"""`firmmem hook`, as a person meets it, and `firmmem shown`: what hooks put before agents, and why."""

import json
import time
from typing import Annotated, Any

import typer

from firmmem.cli.core import open_for_reading
from firmmem.cli.terminal import Db, Namespace, choose_file, fail, say


def hook(
    event: Annotated[
        list[str] | None, typer.Argument(metavar="[EVENT [PROMPT]]", help="session-start, prompt or session-end.")
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="claude-code, codex, gemini-cli or cursor; before the event.")
    ] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Ask this store prompts about other things, and say how often it answers.")
    ] = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Answer a host's hook: its JSON comes on stdin, or an event and a prompt as words; see docs/hooks.md."""
    del event, host  # without --check the process never comes here
    if not check:
        fail("--check stands alone: firmmem hook --check", 2)
    from firmmem.hook.check import OTHER_PROMPTS, false_answers

    settings, space = choose_file(db, namespace)
    require_store(settings)
    with open_for_reading(settings) as connection:
        answered = false_answers(connection, space, settings, now=time.time())
    share = len(answered) / len(OTHER_PROMPTS)
    say(
        f"{len(answered)} of {len(OTHER_PROMPTS)} prompts about other things would be given memories ({share:.1%}), "
        f"at FIRMMEM_HOOK_SILENCE={settings.hook_silence:g}."
    )
    for prompt, ids in answered[:10]:
        say(f"  {prompt!r}: {', '.join(f'#{each}' for each in ids)}")


def shown(
    memory_id: Annotated[str, typer.Argument(metavar="[ID]", help="Only where this memory was looked at.")] = "",
    session: Annotated[str, typer.Option("--session", help="Only this session, as its host calls it.")] = "",
    replay: Annotated[
        bool, typer.Option("--replay", help="Compute each score again, and say whether it agrees.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="How many at most, newest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
    namespace: Namespace = "",
    db: Db = None,
) -> None:
    """Show what hooks put before agents: when, how many tokens, which memories, and the numbers that decided."""
    from firmmem.cli.core import parse_id
    from firmmem.memory.life import injections

    settings, space = choose_file(db, namespace)
    require_store(settings)
    with open_for_reading(settings) as connection:
        if memory_id:
            looked = injections.shown_of(connection, parse_id(memory_id))[-limit:]
            found = [{**dict(row), "memories": []} for row in looked]
        else:
            found = [dict(row) for row in injections.list_injections(connection, space, session=session, most=limit)]
            for each in found:
                each["memories"] = [dict(row) for row in injections.injected_of(connection, each["id"])]
        if replay:
            for each in found:
                for memory in each["memories"] or [each]:
                    memory["agrees"] = injections.agrees(connection, memory, each)
    if as_json:
        say(json.dumps(found, ensure_ascii=False, indent=2))
    elif not found:
        say("Nothing was put before an agent here yet.")
    elif memory_id:
        say("\n".join(f"{header(each)}: {decision(each)}" for each in found))
    else:
        say("\n".join(line for each in found for line in injection_lines(each)))


def require_store(settings: Any) -> None:
    """End the command where there is no file yet."""
    if not settings.db.exists():
        fail(f"{settings.db} does not exist yet.")


def injection_lines(each: dict[str, Any]) -> list[str]:
    """Return one injection: a line on it, and one on each memory that was looked at."""
    said = f"{header(each)}: {each['given']} given, {each['tokens']} of {each['budget']} tokens"
    if each["withheld"]:
        said += f", {each['withheld']} not given"
    if each["asked"]:
        said += ", and asked to write what should last"
    return [said, *(f"  #{row['memory']} {row['tier']}: {decision(row)}" for row in each["memories"])]


def header(each: dict[str, Any]) -> str:
    """Return when and where something was given."""
    from firmmem.dates.moments import format_time

    source = f" ({each['source']})" if each.get("source") else ""
    return f"{format_time(each['at'])} {each['host']} {each['event']}{source} session {each['host_session'] or '-'}"


def decision(row: dict[str, Any]) -> str:
    """Return the numbers that a memory had at that moment, and why it was not given."""
    said = (
        f"score {row['score']:.6f} = relevance {row['relevance']:.6f}, RFM {row['rfm']:.6f}, trust {row['trust']:.6f}, "
        f"alignment {row['alignment']:.2f}; {row['tokens']} tokens"
    )
    if "agrees" in row:
        said += f"; computed again: {row['agrees']}"
    return f"not given, {row['reason']}; {said}" if row["reason"] else f"given; {said}"
