"""Everything FirmMem raises on purpose. Each message is one sentence that its reader can act on.

FirmMemError
├── InvalidArgumentError   an argument can't be understood
├── InvalidTextError       a text can't be stored as it is
├── RefusedTextError       a text is not a memory: a transcript, too long, a secret
├── SettingsError          a setting is wrong
├── ModelError             an encoder is missing, wrong or altered
└── UnavailableError       the file can't be used
    ├── IncompatibleFileError   it belongs to another program, or a newer FirmMem wrote it
    ├── DamagedFileError        SQLite can't read what is in it
    ├── DamagedIndexError       the index that finds memories is damaged, the memories are not
    ├── MissingFileError        it was moved or deleted while it was open
    ├── ReplacedFileError       another file took its place, and the old one is still in use
    ├── SplitFileError          its companions were deleted, and others went on without what they held
    ├── LinkedFileError         it has a second name, under which it would have a second WAL
    ├── ReadOnlyFileError       it can be recalled from, not written
    ├── BusyFileError           another process held it for too long
    └── FullDiskError           there is no room for the write
"""


class FirmMemError(Exception):
    """A failure whose message may reach the caller."""


class InvalidArgumentError(FirmMemError):
    """An argument can't be understood; the message says what to send instead."""


class InvalidTextError(FirmMemError):
    """A text can't be stored as it is."""


class RefusedTextError(FirmMemError):
    """A text is not a memory: a transcript, too long, a secret."""


class SettingsError(FirmMemError):
    """A setting is wrong; the message names it and what is allowed."""


class ModelError(FirmMemError):
    """An encoder is missing, wrong or altered."""


class UnavailableError(FirmMemError):
    """The file can't be used; the message says why and what to do."""


class IncompatibleFileError(UnavailableError):
    """The file belongs to another program, or a newer FirmMem wrote it."""


class DamagedFileError(UnavailableError):
    """SQLite can't read what is in the file."""


class DamagedIndexError(UnavailableError):
    """The index that finds memories by their words is damaged, the memories are not."""


class MissingFileError(UnavailableError):
    """The file was moved or deleted while it was open."""


class ReplacedFileError(UnavailableError):
    """Another file took the place of the one that was open, and the old one is still in use."""


class SplitFileError(UnavailableError):
    """The companions of the file were deleted while it was open, and others went on without what they held."""


class LinkedFileError(UnavailableError):
    """The file has a second name, under which it would have a second WAL."""


class ReadOnlyFileError(UnavailableError):
    """The file can be recalled from, but not written."""


class BusyFileError(UnavailableError):
    """Another process held the file for too long."""


class FullDiskError(UnavailableError):
    """There is no room for the write."""
