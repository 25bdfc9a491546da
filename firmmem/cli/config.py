"""`firmmem config`: what to paste into a client that is to start FirmMem."""

from firmmem.cli.terminal import remark, say
from firmmem.connect.hosts import HOSTS, installed_command
from firmmem.connect.pastes import host_namespace, paste_for
from firmmem.settings import Settings


def show(host: str, settings: Settings, namespace: str) -> None:
    """Print one host's configuration alone, so that it can go into a file; where it goes is said on stderr."""
    for number, paste in enumerate(paste_for(host, installed_command(), settings, namespace)):
        if number:
            say()
        remark(paste.where)
        say(paste.text)
    if (used := namespace or host_namespace(host, settings)) != settings.namespace:
        remark(differing_namespaces(host, used, settings))


def differing_namespaces(host: str, used: str, settings: Settings) -> str:
    """Return how the namespace of a host differs from that of commands."""
    return (
        f"This gives {host} the namespace {used!r}, and commands use {settings.namespace!r}: add --namespace {used} to "
        "`firmmem init`, `core`, `list` and `recall` where they are about its memories."
    )


def show_all(settings: Settings, namespace: str) -> None:
    """Print every host's configuration, with where it goes."""
    start = installed_command()
    blocks = [
        f"── {paste.where}\n\n{paste.text}" for host in HOSTS for paste in paste_for(host, start, settings, namespace)
    ]
    say("\n\n".join(blocks))
