"""Import: the lines of an export become memories, all of them or none, merged by identity with what is there.

A memory that is there stays where it is unless the export moved it later; of its life the later one counts, and its
ledgers are joined. A core fact that is there is never changed. Every text is cleaned, checked and segmented as one
that is written. An import is a run: `TakingBack` removes it whole, also after its process died.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from firmmem.memory.exchange.arrival import SMALL, SWAPPED, begin_arrival, end_arrival, hold_import_lock
from firmmem.memory.exchange.arriving import Arriving, Imported
from firmmem.memory.exchange.prepare import Prepared, prepare
from firmmem.memory.exchange.read_lines import measure_export, read_records
from firmmem.memory.exchange.take_back import TakingBack
from firmmem.settings import Settings
from firmmem.store.statements import Connection, run, transaction

LONGEST = 100_000  # characters of a text: the highest that FIRMMEM_SUMMARY_CAP allows
BATCH = 128  # records that are made ready while others write

Progress = Callable[[int, int], None]  # records done, of so many


def import_file(
    connection: Connection,
    file: BinaryIO,
    settings: Settings,
    clock: Callable[[], float],
    *,
    namespace: str = "",
    progress: Progress = lambda _done, _all: None,
) -> Imported:
    """Take in an export that can be read twice; needs a connection by a person, with no transaction open.

    `namespace` refuses what belongs to another one.

    Raises:
        InvalidArgumentError: A line is none of an export, or the file is cut short or altered; the line is named.
    """
    file.seek(0)
    count, highest = measure_export(file)
    wide = settings.model_copy(update={"summary_cap": LONGEST})

    def records() -> Iterator[Prepared]:
        file.seek(0)
        return prepare(read_records(file), wide, namespace)

    if count > SMALL and has_much(connection):  # some of it is seen before its end, so that no line may fail then
        for _ in records():
            pass
    return import_prepared(connection, records, count, highest, settings, clock, progress=progress)


def has_much(connection: Connection) -> bool:
    """Return whether much is there already."""
    [(count,)] = connection.execute("SELECT count(*) FROM (SELECT 1 FROM memory LIMIT ?)", (SWAPPED + 1,))
    return bool(count > SWAPPED)


def import_prepared(
    connection: Connection,
    records: Callable[[], Iterable[Prepared]],
    count: int,
    highest: int,
    settings: Settings,
    clock: Callable[[], float],
    *,
    join: bool = True,
    progress: Progress = lambda _done, _all: None,
) -> Imported:
    """Take in records that are made ready, few of them in one transaction, many in short ones.

    Raises:
        FirmMemError: Something was in the way; all is as it was before.
    """
    with hold_import_lock(Path(settings.db)):
        if count <= SMALL:
            with transaction(connection):
                arrival = begin_arrival(connection, highest, whole=True, now=clock())
                return take_in(Arriving(arrival, settings, join=join), records(), count, clock, progress)
        with transaction(connection):
            arrival = begin_arrival(connection, highest, whole=False, now=clock())
        try:
            return take_in(Arriving(arrival, settings, join=join), records(), count, clock, progress)
        except BaseException:
            for _ in TakingBack(connection, arrival.run_id).work(clock):
                pass
            with transaction(connection):
                run(connection, "run_end", id=arrival.run_id, done=0, result="", failed=0, now=clock())
                run(connection, "run_drop", id=arrival.run_id)
            raise


def take_in(
    arriving: Arriving, records: Iterable[Prepared], count: int, clock: Callable[[], float], progress: Progress
) -> Imported:
    """Take in all records, and end the run."""
    done, waiting = 0, iter(records)
    while batch := list(islice(waiting, BATCH)):
        arriving.take_all(batch)
        done += len(batch)
        progress(done, count)
    arriving.settle()
    result = arriving.done
    with arriving.arrival.piece():
        said = f"{result.new} new, {result.merged} merged, {result.proposed} proposed"
        end_arrival(arriving.arrival, result.changed, said, now=clock())
    return result
