"""Upkeep: what FirmMem does on its own, hour by hour and day by day, once for all processes of a file."""
