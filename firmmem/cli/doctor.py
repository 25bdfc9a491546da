"""`firmmem doctor`: what could lose or hide memories here, looked at and said; and the repairs that are safe."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firmmem.cli.terminal import Db, say, with_file
from firmmem.environment import read_settings, setting_origins
from firmmem.errors import FirmMemError, ModelError, SettingsError
from firmmem.settings import Settings, variable_name

if TYPE_CHECKING:
    from firmmem.doctor.finding import Finding

MARKS = {"ok": "ok     ", "note": "note   ", "warning": "WARNING", "wrong": "WRONG  "}


def doctor(
    repair: Annotated[
        bool, typer.Option("--repair", help="Build a damaged search index anew, while servers run.")
    ] = False,
    prove_offline: Annotated[
        bool, typer.Option("--prove-offline", help="Run a session, and count the connections it tries to make.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
    db: Db = None,
) -> None:
    """Look for what could lose or hide memories; the exit code is 1 when something is wrong."""
    found, settings = run_checks(db, repair=repair, prove_offline=prove_offline)
    wrong = any(each.level == "wrong" for each in found)
    if as_json:
        report = {"ok": not wrong, "findings": [asdict(each) for each in found], "settings": settings}
        say(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        say("\n".join(f"{MARKS[each.level]} {each.check}: {each.said}" for each in found))
        say("\n".join(f"setting {name}={each['value']} ({each['origin']})" for name, each in settings.items()))
        say("Something is wrong." if wrong else "Nothing is wrong.")
    raise typer.Exit(int(wrong))


def run_checks(
    db: Path | None, *, repair: bool, prove_offline: bool
) -> tuple[list["Finding"], dict[str, dict[str, str]]]:
    """Return all findings, and every setting with where it came from."""
    from firmmem.doctor import file_checks, location_checks
    from firmmem.doctor.finding import Finding

    found = list(file_checks.check_library())
    try:
        settings = read_settings()
    except SettingsError as error:
        return [*found, Finding("settings", "wrong", str(error))], {}
    settings = with_file(settings, db)
    path = Path(os.path.realpath(settings.db))
    if path.is_dir():
        said = f"{path} is a folder: name a file in it with FIRMMEM_DB or --db."
        return [*found, Finding("file", "wrong", said)], list_settings(settings, db)
    found += location_checks.check_folders(path)
    if path.exists():
        found += repair_file(settings) if repair else ()
        found += location_checks.check_permissions(path)
        found += location_checks.check_names(path)
        found += location_checks.check_rescued(path)
    found += file_checks.check_contents(path, time.time())
    found += location_checks.check_processes(path)
    found += check_model(settings)
    found += check_inbox(settings)
    found += check_hooks()
    if prove_offline:
        found += check_offline()
    return found, list_settings(settings, db)


def list_settings(settings: Settings, db: Path | None) -> dict[str, dict[str, str]]:
    """Return every setting's value and where it came from."""
    where = setting_origins()
    if db:
        where["FIRMMEM_DB"] = "--db"
    return {
        variable_name(field): {"value": format_value(getattr(settings, field)), "origin": where[variable_name(field)]}
        for field in Settings.model_fields
    }


def format_value(value: Any) -> str:
    """Return a value as it stands in .env."""
    return (
        str(value).lower() if isinstance(value, bool) else f"{value:.10g}" if isinstance(value, float) else str(value)
    )


def repair_file(settings: Settings) -> Iterator["Finding"]:
    """Put the schema's triggers back, build a damaged search index again, and end a side lock that nobody needs."""
    from firmmem.doctor.file_checks import compare_search_index
    from firmmem.doctor.finding import Finding
    from firmmem.store import write_lock
    from firmmem.store.backup import used_by_others
    from firmmem.store.file_errors import explain_file_errors
    from firmmem.store.opening import open_connection, repair_schema
    from firmmem.store.schema_check import name_some
    from firmmem.store.search_index import is_searchable, rebuild_index
    from firmmem.store.sqlite import complete_statement, has_wal_bug
    from firmmem.store.statements import transaction

    path = Path(os.path.realpath(settings.db))
    try:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            path.chmod(0o600)
            yield Finding("repair", "ok", "its owner alone can read and write it now")
        with explain_file_errors(path):
            mended = repair_schema(path)
        if mended:
            yield Finding("repair", "ok", f"put right: {name_some(mended)}")
        with closing(open_connection(settings)) as connection, explain_file_errors(path):
            if not is_searchable(connection) or not compare_search_index(path):
                with transaction(connection):
                    rebuild_index(connection, complete_statement)
                yield Finding("repair", "ok", "the search index was built again")
            elif not mended:
                yield Finding("repair", "ok", "there was nothing to repair")
        if write_lock.lock_path(path).exists() and not has_wal_bug() and not used_by_others(path):
            write_lock.lock_path(path).unlink()
            yield Finding("repair", "ok", "the side lock was ended: nobody has the file open")
    except FirmMemError as error:
        yield Finding("repair", "wrong", str(error))


def check_hooks() -> Iterator["Finding"]:
    """Say why hooks gave nothing lately, if they did."""
    from firmmem.doctor.finding import Finding
    from firmmem.hook.log import last_lines, log_path

    lines = last_lines(1000)
    if lines:
        yield Finding(
            "hooks", "note", f"{len(lines)} gave nothing for a reason, the last at {lines[-1]} ({log_path()})"
        )


def check_model(settings: Settings) -> Iterator["Finding"]:
    """Say whether the model that finds by meaning is there, and unaltered."""
    from firmmem.doctor.finding import Finding
    from firmmem.encoder.embedding import require_runtime
    from firmmem.encoder.models import find_model, verify_model

    level: Any = "wrong" if settings.semantic_rerank else "note"
    used = "" if settings.semantic_rerank else " (not used: ENABLE_SEMANTIC_RERANK is off)"
    try:
        found = find_model(settings.model, settings.model_dir)
        if settings.semantic_rerank:
            require_runtime()
        verify_model(found)
    except ModelError as error:
        yield Finding("model", level, f"{error}{used}")
        return
    yield Finding(
        "model", "ok", f"{found.id} in {found.folder}, its files as they should be{used}; {found.fingerprint}"
    )


def check_inbox(settings: Settings) -> Iterator["Finding"]:
    """Say how many memories each namespace has, and how much waits for a person in it."""
    from firmmem.doctor.file_checks import connect_for_looking
    from firmmem.doctor.finding import Finding
    from firmmem.memory.hand.waiting import count_inbox
    from firmmem.store.file_errors import GARBLED
    from firmmem.store.migrate import schema_version, scripts
    from firmmem.store.sqlite import Error
    from firmmem.store.statements import fetch

    if not settings.db.exists() or not settings.db.stat().st_size:
        return
    try:
        with closing(connect_for_looking(Path(os.path.realpath(settings.db)))) as connection:
            if schema_version(connection) < len(scripts()):
                return  # looking upgrades nothing
            rows = fetch(connection, "namespaces")
            waiting = {row["namespace"]: count_inbox(connection, row["namespace"]) for row in rows}
    except (FirmMemError, Error, *GARBLED):
        return  # which the other checks report
    sizes = ", ".join(f"{row['namespace']!r} {row['active']}" for row in rows)
    if rows:
        yield Finding("namespaces", "ok", f"memories in use: {sizes}")
    for namespace, count in waiting.items():
        if count:
            yield Finding("inbox", "note", f"{count} wait for you in {namespace!r}: firmmem inbox -n {namespace!r}")


def check_offline() -> Iterator["Finding"]:
    """Run a session that counts the connections it tries to make."""
    from firmmem.cli.offline import call_every_tool
    from firmmem.doctor.audit import LIMITS
    from firmmem.doctor.finding import Finding

    counted = call_every_tool()
    if counted.control < 1:
        yield Finding("offline", "wrong", "the hook did not see a connection made to test it: nothing is proved.")
    elif counted.attempts:
        yield Finding(
            "offline", "wrong", f"{len(counted.attempts)} connections tried: {'; '.join(counted.attempts[:5])}"
        )
    else:
        yield Finding(
            "offline",
            "ok",
            f"{counted.calls} calls, every tool among them, 0 connections tried (the hook saw the {counted.control} "
            f"made to test it). {LIMITS}",
        )
