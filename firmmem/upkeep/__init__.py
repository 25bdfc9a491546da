"""Upkeep: what FirmMem does on its own, hour by hour and day by day, once for all processes of a file."""

from firmmem.upkeep.rekey import rekey
from firmmem.upkeep.schedule import JOBS, keep, tick

__all__ = ["JOBS", "keep", "rekey", "tick"]
