"""Ranking keys: what is stored with a memory so that the best ones, and those about to fade, are found at once.

sql/recall/candidate_by_stream.sql says how they work. They are computed with the half-lives that the file's
`keying` row holds, so that processes with other settings can't mix keys; such a process ranks without them
until `rekey` has brought the file to its own.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

from firmmem import scoring
from firmmem.contract import TIERS, Tier
from firmmem.memory.rows.chunks import take_while_brief
from firmmem.store.statements import Connection, fetch, run

if TYPE_CHECKING:
    from firmmem.settings import Settings

EPOCH = 1_735_689_600.0  # 2025-01-01: keys count days from here, so that they stay small and precise
DAY = 86_400.0
RANK = {tier: rank for rank, tier in enumerate(TIERS)}
CHUNK = 200  # rows changed in one transaction while others wait


@dataclass(frozen=True)
class Keying:
    """The half-lives in days, and the consolidation base, that keys are computed with."""

    draft: float
    validated: float
    strategic: float
    consolidation_base: float

    def base(self, tier: Tier) -> float:
        """Return the base half-life of a tier; core never fades."""
        return math.inf if tier == "core" else float(getattr(self, tier))


@dataclass(frozen=True)
class Life:
    """What of a memory changes as it lives, and decides where it ranks."""

    tier: Tier
    importance: float
    trust: float
    consolidation: float
    recall_count: int
    strength: float
    reviewed_at: float

    @classmethod
    def of(cls, row: Any) -> Life:
        """Read it from a row of `memory`."""
        return cls(**{name: row[name] for name in cls.__dataclass_fields__})


def wanted_keying(settings: Settings) -> Keying:
    """Return the keying that a process with these settings ranks by."""
    return Keying(
        settings.draft_half_life,
        settings.validated_half_life,
        settings.strategic_half_life,
        settings.consolidation_base,
    )


def stored_keying(connection: Connection) -> tuple[Keying, bool]:
    """Return the file's keying, and whether all its keys are computed by it."""
    [row] = fetch(connection, "keying")
    keying = Keying(row["draft"], row["validated"], row["strategic"], row["consolidation_base"])
    return keying, row["pending_from"] is None


def keys_are_current(connection: Connection, settings: Settings) -> bool:
    """Return whether the file's keys rank as these settings do."""
    keying, complete = stored_keying(connection)
    return complete and keying == wanted_keying(settings)


def compute_keys(life: Life, keying: Keying) -> dict[str, float | None]:
    """Return half_life, stream, slope, rank_key and fades_at of a memory; only drafts are forgotten."""
    if life.tier == "core":
        return {"half_life": math.inf, "stream": 999, "slope": 0.0, "rank_key": 0.0, "fades_at": None}
    base = keying.base(life.tier)
    half_life = scoring.effective_half_life(base, life.consolidation, life.recall_count, keying.consolidation_base)
    stream, slope = RANK[life.tier] * 1000, 1.0 / base
    if half_life != base:
        octave = scoring.octave(half_life)
        stream, slope = stream + 500 + octave, 2.0 ** -(octave + 1)
    factor = scoring.ranking_factor(life.strength, life.importance, life.trust)
    rank_key = math.log(factor) + slope * (life.reviewed_at - EPOCH) / DAY
    fades_at = life.reviewed_at + scoring.fading_days(half_life) * DAY if life.tier == "draft" else None
    return {"half_life": half_life, "stream": stream, "slope": slope, "rank_key": rank_key, "fades_at": fades_at}


def keys_for_new_row(connection: Connection, life: Life) -> dict[str, float | None]:
    """Return the keys of a memory that is about to be written, with its stream in place."""
    values = compute_keys(life, stored_keying(connection)[0])
    run(connection, "stream_insert", id=values["stream"], slope=values.pop("slope"))
    return values


def save_life(connection: Connection, memory_id: int, life: Life) -> None:
    """Write what changed in a memory's life, and the keys that follow from it."""
    values = keys_for_new_row(connection, life)
    run(
        connection,
        "live",
        id=memory_id,
        **{name: getattr(life, name) for name in Life.__dataclass_fields__},
        **values,
    )


def begin_rekey(connection: Connection, settings: Settings) -> bool:
    """Start to bring the file's keys to these settings, in a transaction; return whether there is anything to do."""
    keying = wanted_keying(settings)
    if keys_are_current(connection, settings):
        return False
    if stored_keying(connection)[0] != keying:
        draft, validated, strategic, consolidation_base = astuple(keying)
        run(
            connection,
            "keying_begin",
            draft=draft,
            validated=validated,
            strategic=strategic,
            consolidation_base=consolidation_base,
        )
        for tier in TIERS[1:]:
            run(connection, "stream_update", id=RANK[tier] * 1000, slope=1.0 / keying.base(tier))
    return True


def rekey_chunk(connection: Connection, settings: Settings) -> bool:
    """Bring the next rows' keys to the file's keying, in a transaction; return whether more may be left.

    Does nothing where another process has begun to bring them to other settings.
    """
    keying, complete = stored_keying(connection)
    if complete or keying != wanted_keying(settings):
        return False
    rows = fetch(connection, "rekey_rows", chunk=CHUNK)
    done = 0
    for row in take_while_brief(rows):
        values = compute_keys(Life.of(row), keying)
        run(connection, "stream_insert", id=values["stream"], slope=values.pop("slope"))
        run(connection, "rekey", id=row["id"], **values)
        done += 1
    more = done < len(rows) or len(rows) == CHUNK
    run(connection, "keying_advance", pending_from=rows[done - 1]["id"] + 1 if more else None)
    return more
