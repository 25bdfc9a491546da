"""FirmMem: long-term memory for AI agents that firms up with use and fades without it, in one SQLite file."""

__version__ = "0.2.0"
