"""What a namespace's tiers are like now: the mean and the spread of trust and of RFM, recorded hour by hour."""

import math
from dataclasses import dataclass, field

from firmmem.memory.rows.ranking_keys import DAY
from firmmem.store.statements import Connection, fetch, run

ROWS = 2_000  # ids read in one go while others read
HOURLY = 7 * DAY  # after which one record a day is kept
DAILY = 90 * DAY  # after which one of 30 days is


@dataclass
class Sums:
    """Running sums over memories, by namespace and tier: how many, and trust and RFM with their squares."""

    now: float
    after: int = 0
    sums: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def chunk(self, connection: Connection) -> bool:
        """Add the next memories; return whether more are left."""
        [newest] = fetch(connection, "newest_id")
        last = self.after + ROWS
        for row in fetch(connection, "statistic", after=self.after, last=last, now=self.now):
            sums = self.sums.setdefault((row["namespace"], row["tier"]), [0.0] * 5)
            for place, name in enumerate(("memories", "trust", "trust_squared", "rfm", "rfm_squared")):
                sums[place] += row[name]
        self.after = last
        return bool(last < newest["id"])

    def record(self, connection: Connection) -> None:
        """Record means and deviations, in a transaction."""
        for (namespace, tier), (count, trust, trust_squared, rfm, rfm_squared) in sorted(self.sums.items()):
            run(
                connection,
                "statistic_insert",
                namespace=namespace,
                tier=tier,
                now=self.now,
                memories=int(count),
                trust_mean=trust / count,
                trust_deviation=standard_deviation(count, trust, trust_squared),
                rfm_mean=rfm / count,
                rfm_deviation=standard_deviation(count, rfm, rfm_squared),
            )


def standard_deviation(count: float, total: float, squares: float) -> float:
    """Return the standard deviation of `count` values from their sum and the sum of their squares."""
    return math.sqrt(max(0.0, squares / count - (total / count) ** 2))


Record = tuple[str, str, float]  # namespace, tier and time
FIRST: Record = ("", "", -math.inf)  # before every record


def find_spare(connection: Connection, after: Record, *, now: float, most: int) -> tuple[list[Record], Record | None]:
    """Return which of the next records others stand for, and the last one looked at where more may be left."""
    namespace, tier, at = after
    rows = fetch(
        connection,
        "statistic_records",
        namespace=namespace,
        tier=tier,
        after=at,
        hourly_since=now - HOURLY,
        daily_since=now - DAILY,
        chunk=most,
    )
    looked = [(row["namespace"], row["tier"], row["at"]) for row in rows]
    found = [record for record, row in zip(looked, rows, strict=True) if row["spare"]]
    return found, looked[-1] if len(rows) == most else None


def drop_record(connection: Connection, record: Record) -> int:
    """Delete one record, in a transaction."""
    namespace, tier, at = record
    return run(connection, "statistic_delete", namespace=namespace, tier=tier, at=at)
