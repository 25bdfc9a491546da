"""What is not a memory: a text too long, a transcript, a secret; and what reads like an order to an agent."""

from typing import Final

from firmmem.errors import RefusedTextError
from firmmem.text.credentials import secret_kind
from firmmem.text.normal_form import as_read, to_one_line
from firmmem.text.orders import holds_order
from firmmem.text.transcript import is_transcript

SUMMARY: Final = "send a summary of one or two sentences instead"

READ_CHARACTERS: Final = 20_000
"""How far a text is read for what it says: more than any cap leaves."""


def refuse(text: str, *, cap: int) -> None:
    """Let a text pass that can be a memory of at most `cap` characters.

    Raises:
        RefusedTextError: it is too long, holds a secret, or is a transcript; the message says what to send.
    """
    if len(text) > cap:
        message = f"The text has {len(text):,} characters and a memory at most {cap:,}: {SUMMARY}."
        raise RefusedTextError(message)
    if kind := secret_in(text):
        raise RefusedTextError(
            f"The text holds a secret ({kind}), which is not stored: send it without, or where it is kept."
        )
    if is_transcript(text):
        raise RefusedTextError(f"The text is a transcript, and memories are not chat: {SUMMARY}.")


def reads_like_instruction(text: str) -> bool:
    """Whether a text would steer the agent that reads it ("ignore previous instructions …")."""
    beginning = text[:READ_CHARACTERS]
    shown = to_one_line(beginning)  # as recall shows it: what was broken over lines stands together there
    return holds_order(beginning) or (shown != beginning and holds_order(shown))


def secret_in(text: str) -> str:
    """What kind of secret a text holds, as it is or as it is read, or nothing."""
    return secret_kind(text) or (secret_kind(as_read(text)) if not text.isascii() else "")


def refuse_secrets(*labels: str) -> None:
    """Refuse labels that hold a secret.

    Raises:
        RefusedTextError: One does; the kind is named, not the value.
    """
    kind = next(filter(None, map(secret_in, labels)), "")
    if kind:
        raise RefusedTextError(f"A label looks like a secret ({kind}): name it without.")
