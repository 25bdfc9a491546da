"""The ledger of moves: every change of tier or shelf, by whom and why, so that it can be read and taken back."""

from typing import Any

from firmmem.memory.rows.ranking_keys import DAY, Life, save_life
from firmmem.store.statements import Connection, fetch, run

SOON = 7 * DAY
KEPT = 21 * DAY  # what was moved, or written again, is not forgotten for so long: about the time a new draft has


def note_move(
    connection: Connection,
    memory_id: int,
    *,
    tier: str | None = None,
    shelf: int | None = None,
    now: float,
    cause: str,
    reason: str = "",
    run_id: int | None = None,
) -> None:
    """Add a move that is about to be made; `run_id` is the run that makes it, else it is a person's, if one acts."""
    run(
        connection,
        "move_note",
        memory=memory_id,
        tier=tier,
        shelf=shelf,
        now=now,
        cause=cause,
        reason=reason,
        run=connection.acting if run_id is None else run_id,
    )


def note_kept(connection: Connection, row: Any, *, now: float) -> None:
    """Note that a draft which would be forgotten soon was written again, so that it is not; once a day is enough."""
    if row["fades_at"] is None or row["fades_at"] >= now + SOON:
        return
    [moved] = fetch(connection, "moved_at", memory=row["id"])
    if moved["at"] is None or not 0.0 <= now - moved["at"] < DAY:
        note_move(connection, row["id"], now=now, cause="written again")


def write_tier(
    connection: Connection,
    row: Any,
    life: Life,
    *,
    now: float,
    cause: str,
    reason: str = "",
    run_id: int | None = None,
) -> None:
    """Write a memory's life, and note the move where its tier is another one."""
    if life.tier != row["tier"]:
        note_move(connection, row["id"], tier=life.tier, now=now, cause=cause, reason=reason, run_id=run_id)
    save_life(connection, row["id"], life)
