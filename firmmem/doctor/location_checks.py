"""Where the file lies: network and synchronised folders, permissions, and who else has it open."""

import os
import shlex
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from firmmem.doctor.finding import Finding
from firmmem.store.backup import used_by_others
from firmmem.store.copy_names import list_copies
from firmmem.store.file_identity import can_write, file_size, other_names_warning
from firmmem.store.sqlite import Error

NETWORKS = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "glusterfs", "sshfs", "rclone", "davfs", "drvfs", "ncpfs")
SYNCHRONISED = {
    "dropbox": "Dropbox",
    "onedrive": "OneDrive",
    "google drive": "Google Drive",
    "googledrive": "Google Drive",
    "my drive": "Google Drive",
    "mobile documents": "iCloud",
    "com~apple~clouddocs": "iCloud",
    "icloud": "iCloud",
    "cloudstorage": "a cloud drive",
    "nextcloud": "Nextcloud",
    "owncloud": "ownCloud",
    "nutstore": "Nutstore",
    "我的坚果云": "Nutstore",
    "pcloud": "pCloud",
    "megasync": "MEGA",
    "seafile": "Seafile",
    "syncthing": "Syncthing",
}
MARKERS = {".dropbox": "Dropbox", ".stfolder": "Syncthing", ".sync": "Resilio Sync", ".owncloudsync.log": "ownCloud"}
REMOTE_DRIVE = 4  # what Windows' GetDriveTypeW calls a network drive


def check_folders(path: Path) -> Iterator[Finding]:
    """Say whether SQLite's locks and files are safe where the file lies."""
    found = network_kind(path)
    if found:
        yield Finding(
            "folder", "wrong", f"{path} lies on a network ({found}), where SQLite's locks don't hold: move it."
        )
    service = sync_service(path)
    if service:
        yield Finding(
            "folder",
            "wrong",
            f"{path} lies in a folder that {service} synchronises, which copies it half-written: move it, and let "
            "it copy backups.",
        )
    if not found and not service:
        yield Finding("folder", "ok", "on a local disk, in no folder known to be synchronised")


def network_kind(path: Path) -> str:
    """Return the kind of network file system that a path is on, or nothing."""
    if sys.platform == "win32":
        import ctypes

        drive = path.drive
        remote = drive.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(f"{drive}\\") == REMOTE_DRIVE
        return "a network drive" if remote else ""
    kind = mount_kind(path)
    return kind if any(name in kind for name in NETWORKS) else ""


def mount_kind(path: Path) -> str:
    """Return the kind of file system that a path is on, as Linux says; nothing elsewhere."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    best, kind = -1, ""
    for mount in mounts:
        fields, _, rest = mount.partition(" - ")
        point = Path(fields.split()[4].replace("\\040", " "))
        if path.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), rest.split()[0]
    return kind


def sync_service(path: Path) -> str:
    """Return the service that synchronises a folder above a path, or nothing."""
    for part in path.parts[:-1]:
        for name, service in SYNCHRONISED.items():
            if part.lower() == name or part.lower().startswith((f"{name} ", f"{name}-")):
                return service
    for folder in path.parents:
        for name, service in MARKERS.items():
            if (folder / name).exists():
                return service
    return ""


def check_names(path: Path) -> Iterator[Finding]:
    """Say whether the file has more than one name."""
    if linked := other_names_warning(path):
        yield Finding("names", "wrong", f"{linked}.")


def check_permissions(path: Path) -> Iterator[Finding]:
    """Say who may read and write the file."""
    if not os.access(path, os.R_OK):
        yield Finding("permissions", "wrong", f"{path} can't be read by this user.")
    elif not can_write(path):
        yield Finding(
            "permissions", "wrong", f"{path} can be recalled from only: let its user write it and its folder."
        )
    elif os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        mode = stat.S_IMODE(path.stat().st_mode)
        yield Finding("permissions", "warning", f"other users may read {path} (mode {mode:04o}): chmod 600 it.")
    else:
        yield Finding("permissions", "ok", "its owner alone can read and write it")
    for ending in ("-wal", "-journal"):
        beside = Path(f"{path}{ending}")
        if file_size(beside):
            yield Finding("file", "note", f"{beside.name} beside it holds {file_size(beside):,} bytes: never delete it")


def check_rescued(path: Path) -> Iterator[Finding]:
    """Name the copies that a server made when the file's companions were deleted, until a person removes them."""
    for _, copy in list_copies(path, "rescued"):
        yield Finding(
            "rescued",
            "warning",
            f"{copy} holds what a server had stored when the -wal or -shm file was deleted: bring it back with "
            f"`firmmem export --db {shlex.quote(str(copy))} | firmmem import -`, and then remove it.",
        )


def check_processes(path: Path) -> Iterator[Finding]:
    """Say who else has the file open, as far as that can be seen."""
    holders, deleted = find_holders(path)
    for holder in deleted:
        yield Finding(
            "processes",
            "wrong",
            f"{holder} holds a file of this name that was deleted or replaced: end it, and start it again.",
        )
    if holders:
        yield Finding("processes", "note", f"open in {', '.join(holders)}")
    elif not sys.platform.startswith("linux") and path.exists() and can_write(path) and has_other_users(path):
        yield Finding("processes", "note", "open in another process")
    elif not deleted:
        yield Finding("processes", "ok", "no other process was seen to have it open")


def has_other_users(path: Path) -> bool:
    """Return whether another process has the file open, where SQLite can tell."""
    try:
        return used_by_others(path)
    except Error:
        return False  # a damaged file, which the other checks tell


def find_holders(path: Path) -> tuple[list[str], list[str]]:
    """Return the processes that have the file or its companions open, and those that hold deleted ones (Linux)."""
    holders: dict[str, None] = {}
    deleted: dict[str, None] = {}
    names = {f"{path}{ending}" for ending in ("", "-wal", "-shm")}
    for process in Path("/proc").glob("[0-9]*"):
        if process.name == str(os.getpid()):
            continue
        for target in descriptor_targets(process):
            if target in names:
                holders[describe_process(process)] = None
            elif target.removesuffix(" (deleted)") in names:
                deleted[describe_process(process)] = None
    return list(holders), list(deleted)


def descriptor_targets(process: Path) -> Iterator[str]:
    """Yield what a process's descriptors point to; nothing of a process that may not be looked into."""
    try:
        descriptors = list((process / "fd").iterdir())
    except OSError:
        return
    for descriptor in descriptors:
        try:
            yield str(descriptor.readlink())
        except OSError:
            continue


def describe_process(process: Path) -> str:
    """Return a process's number and name."""
    try:
        command = (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return f"process {process.name}"
    name = " ".join(part.decode(errors="replace") for part in command[:3] if part)
    return f"process {process.name} ({name[:60]})"
