"""What happens every hour: tiers move, faded drafts are put away, tiers are described, the search index is merged."""

from contextlib import aclosing

from firmmem.memory.life.forget import Forgetting, due_now, due_rows, due_shelves, forgettable_counts, mark_due
from firmmem.memory.life.tiers import DEMOTION, PROMOTION, Shift, find_shiftable, shift_bounds, shift_tier
from firmmem.memory.rows.chunks import BEGINNING
from firmmem.memory.trust.statistics import Sums
from firmmem.settings import Settings
from firmmem.store.statements import Connection, run
from firmmem.upkeep.held import COUNTED, HOUR, Held, Job, plan_rows

PARTS = 2  # of about one size that are merged into one; FTS5 would wait for four
MERGED = 32  # pages in one transaction, some milliseconds


async def move_tiers(held: Held) -> str:
    """Promote the drafts that have earned it, and demote the validated memories that have lost their trust."""
    promoted = await shift_tiers(held, PROMOTION)
    demoted = await shift_tiers(held, DEMOTION)
    return f"{promoted} promoted, {demoted} demoted"


async def shift_tiers(held: Held, shift: Shift) -> int:
    """Move memories to another tier; return how many."""
    settings, now = held.database.settings, held.clock()
    total = 0
    async with aclosing(held.walk(shift.shelves, shift.rows, "trust", **shift_bounds(settings, now=now))) as pages:
        async for rows in pages:
            due = find_shiftable(rows, shift, settings)
            done = await held.each(due, shift_tier, shift, settings, run_id=held.run_id, now=now)
            held.count(done)
            total += done
    return total


def tiers_plan(connection: Connection, settings: Settings, now: float) -> str:
    """Return which tiers would move."""
    asked = shift_bounds(settings, now=now)
    promoted, demoted = (
        len(find_shiftable(plan_rows(connection, shift.shelves, shift.rows, **asked), shift, settings))
        for shift in (PROMOTION, DEMOTION)
    )
    return f"would promote {promoted} and demote {demoted}"


async def forget_drafts(held: Held) -> str:
    """Put drafts away that have faded, at most a fifth of a namespace a day; after a gap only mark them."""
    due = await held.write(mark_due, held.job.name, now=held.clock())
    room = await held.read(forgettable_counts, now=held.clock())
    for shelf in await held.read(due_shelves, due.horizon):
        space = shelf["namespace"]
        forgetting = Forgetting(shelf["id"], space, shelf["branch"], due.horizon, room.get(space, 0))
        more = forgetting.room > 0
        while more:
            done, more = await held.write(forgetting.chunk, run_id=held.run_id, now=held.clock())
            held.count(done)
        room[space] = forgetting.room
    said = f"{held.done} forgotten"
    return f"{said}; what has faded is marked, for a day" if due.marked_at is not None else said


def forget_plan(connection: Connection, _: Settings, now: float) -> str:
    """Return how many drafts would be put away."""
    due = due_now(connection, "forget", now=now)
    faded = sum(count_unkept(connection, shelf["id"], now, now) for shelf in due_shelves(connection, now))
    room = forgettable_counts(connection, now=now)
    going = 0
    for shelf in due_shelves(connection, due.horizon):
        count = min(room.get(shelf["namespace"], 0), count_unkept(connection, shelf["id"], due.horizon, now))
        room[shelf["namespace"]] = room.get(shelf["namespace"], 0) - count
        going += count
    later = "" if faded <= going else f"; {faded - going} more have faded and wait"
    return f"would forget {going}{later}"


def count_unkept(connection: Connection, shelf: int, horizon: float, now: float) -> int:
    """Return how many drafts of a shelf have faded and no recent move keeps."""
    rows = due_rows(connection, shelf, horizon, BEGINNING, now=now, most=COUNTED)
    return sum(not row["kept"] for row in rows)


async def record_statistics(held: Held) -> str:
    """Record each namespace's trust and RFM, tier by tier."""
    sums = Sums(held.clock())
    while await held.read(sums.chunk):
        pass
    await held.write(sums.record)
    return f"{len(sums.sums)} recorded"


async def merge_index(held: Held) -> str:
    """Merge the parts of the search index, of which every write adds one and every look for a word reads all."""
    await held.write(run, "merge_from", parts=PARTS)
    while await held.write(merge_pages):
        pass
    return "done"


def merge_pages(connection: Connection) -> bool:
    """Merge some pages, in a transaction; return whether there may be more to merge."""
    before = connection.total_changes
    run(connection, "merge", pages=MERGED)
    return connection.total_changes - before > 1  # FTS5 changes a row even where it finds nothing to do


JOBS = (
    Job("tiers", HOUR, move_tiers, tiers_plan),
    Job("forget", HOUR, forget_drafts, forget_plan),
    Job("statistics", HOUR, record_statistics),
    Job("merge", HOUR, merge_index),
)
