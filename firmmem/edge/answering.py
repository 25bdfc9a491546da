"""What a call of a tool is answered, whoever brings it: the MCP server, or the process behind a host's own plugin."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firmmem.edge.arguments import read_arguments
from firmmem.edge.caller import Call
from firmmem.edge.schemas import schemas
from firmmem.edge.tools import TOOLS, firmmem_recall_memory
from firmmem.errors import FirmMemError, InvalidArgumentError, RefusedTextError, UnavailableError
from firmmem.memory.rows.refusals import TO_A_PERSON, reason_for

NOT_STORED = ("refused", "unavailable")  # first words of an answer
FUNCTIONS = {function.__name__: function for function, _ in TOOLS}


@dataclass(frozen=True)
class Answer:
    """What a model reads; an error says what to send instead."""

    text: str
    is_error: bool = False


async def answer_call(call: Call, name: str, arguments: Mapping[str, Any] | None) -> Answer:
    """Call a tool with what clients really send, and return its answer in UTF-8.

    What is refused or can't be done now is a normal answer that begins with one word for it: hosts block a server
    after a few errors, and a program can tell such an answer from a memory that is stored. Half a surrogate pair, as in
    a path, would end a writer.
    """
    reason = TO_A_PERSON
    try:
        answer = Answer(await call_function(call, name, arguments))
    except UnavailableError as error:
        answer, reason = Answer(f"unavailable: {error}"), reason_for(error)
    except RefusedTextError as error:
        answer, reason = Answer(f"refused: {error}"), reason_for(error)
    except FirmMemError as error:
        answer = Answer(str(error), is_error=True)
    word = answer.text.partition(": ")[0]
    if word in NOT_STORED and name != firmmem_recall_memory.__name__:
        call.app.refusals.note(word, reason, now=call.app.clock())
    return Answer(answer.text.encode("utf-8", "replace").decode(), answer.is_error)


async def call_function(call: Call, name: str, arguments: Mapping[str, Any] | None) -> str:
    """Return what a tool's function says, and notes on how its arguments were understood."""
    function = FUNCTIONS.get(name)
    if function is None:
        raise InvalidArgumentError(f"Unknown tool: {name}")
    understood, notes = read_arguments(arguments, schemas()[name])
    return "\n".join([await function(call, **understood), *(f"note: {note}" for note in notes)])
