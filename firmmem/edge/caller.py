"""One call of a tool: the running FirmMem, and who asks."""

from dataclasses import dataclass

from firmmem.contract import PERSON, Author
from firmmem.edge.running import App
from firmmem.errors import InvalidTextError
from firmmem.text.normal_form import clean_text, to_one_line
from firmmem.text.screening import secret_in

CLIENT_CAP = 100  # characters of a client's name


@dataclass(frozen=True)
class Call:
    """What a tool is given beside its arguments; `client` is what the client calls itself, None if it has not yet.

    `host_session` is what the host calls its session, where it says that.
    """

    app: App
    client: str | None
    host_session: str = ""

    @property
    def author(self) -> Author:
        """Who calls: the client's name, and its host's session or this process's."""
        name = "" if self.client is None else client_name(self.client)
        return Author(name, self.host_session or self.app.session, self.host_session)


def client_name(said: str) -> str:
    """Return a client's name as it may be kept and shown: what it says of itself is text like any other."""
    try:
        name = to_one_line(clean_text(said))[:CLIENT_CAP]
    except InvalidTextError:
        return "unnamed"
    if name.casefold() == PERSON.client:
        return f"client {name}"  # what a person writes is trusted as no client is
    return "unnamed" if secret_in(name) else name
