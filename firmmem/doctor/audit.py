"""An audit hook that writes down every attempt to connect or to start another program.

It knows nothing of the rest, so that it can be set before anything else is imported.
"""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

LIMITS = (
    "Limits: the hook sees what goes through Python's own sockets and what starts another program, in the server's "
    "process; a compiled library that calls the system by itself is not seen."
)
# Events of sys.addaudithook that reach out, by their names in the library reference; a program started could too.
EVENTS = frozenset(
    {
        "socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname",
        "socket.gethostbyaddr", "socket.getnameinfo", "socket.bind", "urllib.Request", "http.client.connect",
        "ftplib.connect", "smtplib.connect", "imaplib.open", "poplib.connect", "nntplib.connect",
        "telnetlib.Telnet.open",
        "webbrowser.open", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile",
    }
)  # fmt: skip
CONTROL = "control"


def start_audit(said: Path) -> None:
    """Write down every attempt from now on; the first ones are made here, to see that they are."""
    descriptor = os.open(said, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in EVENTS:
            os.write(descriptor, json.dumps(f"{event} {arguments!r}"[:300]).encode() + b"\n")

    sys.addaudithook(hook)
    attempt_connection()
    os.write(descriptor, json.dumps(CONTROL).encode() + b"\n")


def attempt_connection() -> None:
    """Try to connect to this machine, where nobody listens."""
    import socket

    with socket.socket() as tried, suppress(OSError):
        tried.settimeout(1.0)
        tried.connect(("127.0.0.1", 9))
