"""Upkeep: what FirmMem does on its own, hour by hour and day by day, once for all processes of a file."""

from firmmem.upkeep.keep import JOBS, keep, tick
from firmmem.upkeep.rekey import rekey

__all__ = ["JOBS", "keep", "rekey", "tick"]
