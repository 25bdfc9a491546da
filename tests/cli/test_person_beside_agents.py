"""A person's commands while servers run on the same file: what they decide is what the agents see next."""

import re
import sys

from support.firmmem_command import Firmmem
from support.stdio_client import StdioClient


def serving(firmmem: Firmmem, **env: str) -> StdioClient:
    client = StdioClient([sys.executable, "-m", "firmmem"], env={**firmmem.environment(), **env})
    client.initialize()
    return client


def test_a_proposal_made_by_an_agent_is_accepted_beside_it(firmmem: Firmmem) -> None:
    with serving(firmmem, FIRMMEM_CORE_WRITE="propose") as client:
        said = client.text("firmmem_write_core_fact", fact="The user is called Ada", subject="user.name")
        assert said == "proposal 1 waits for a person (firmmem core accept 1): it is no memory yet"
        assert "Nothing is remembered" in client.text("firmmem_recall_memory")
        assert "by stdio-client: (user.name) The user is called Ada" in firmmem.does("core", "proposals")
        firmmem.does("core", "accept", "1")
        assert "The user is called Ada" in client.text("firmmem_recall_memory")


def test_votes_of_two_servers_are_told_apart_and_taken_back_beside_them(firmmem: Firmmem) -> None:
    with serving(firmmem) as one, serving(firmmem) as other:
        one.text("firmmem_write_event_memory", summary="Tests run with make check")
        assert "0.50 → 0.35" in one.text("firmmem_memory_feedback", memory_ids=[1], outcome="negative", note="tox")
        assert "0.35 → 0.24" in other.text("firmmem_memory_feedback", memory_ids=[1], outcome="negative")
        ledger = firmmem.does("trust", "1")
        first, second = re.findall(r"stdio-client, session (\w+)", ledger)
        assert first != second
        aside = firmmem.does("anomalies", "--now")  # a server's own daily check may have been quicker
        assert "trust fell from 0.50 to 0.24 by 2 sessions' votes" in aside
        assert "Nothing is remembered" in one.text("firmmem_recall_memory")
        assert "in quarantine" in other.text("firmmem_write_event_memory", summary="tests run with make check.")
        revoked = firmmem.does("revoke", "--client", "stdio-client", "--session", second, "--yes")
        assert "#1 trust 0.24 → 0.35, in quarantine (firmmem release 1 brings it back)" in revoked
        firmmem.does("release", "1", "--reason", "one of them was wrong")
        assert "(low trust)" in one.text("firmmem_recall_memory")
        assert "Nothing is set aside" in firmmem.does("anomalies", "--now")
