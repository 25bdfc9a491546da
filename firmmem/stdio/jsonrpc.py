"""Reads one line of a client as a JSON-RPC message, and says what is wrong with a line that isn't one.

The SDK drops such lines without a word, and the client waits for its reply until it gives up.
"""

import json
import re
from dataclasses import dataclass

from pydantic_core import from_json

PARSE_ERROR = -32700  # JSON-RPC 2.0: not JSON
INVALID_REQUEST = -32600  # JSON-RPC 2.0: JSON, but no message
ENDS = 400  # characters at each end of an unreadable line in which its id is looked for

_ID = r'"id"\s*:\s*(?P<id>-?\d{1,18}|"[^"\\]*")\s*'
_VERSION = r'"jsonrpc"\s*:\s*"2\.0"\s*'
_ID_FIRST = re.compile(rf"\s*{{\s*(?:{_VERSION},\s*)?{_ID},")
_ID_LAST = re.compile(rf"{_VERSION},\s*{_ID}}}\s*$")  # next to the version, so that it isn't an argument
_REPLY = re.compile(r'\{"jsonrpc":"2\.0","id":(?P<id>-?\d+|"[^"\\]*"),"(?:result|error)"')

_HALF = re.compile("[\ud800-\udfff]")

Id = int | str | None


class MalformedError(Exception):
    """A line is no message; `reply` is what its sender gets."""

    def __init__(self, code: int, message: str, id_: Id) -> None:
        super().__init__(message)
        error = {"code": code, "message": message}
        self.reply = json.dumps({"jsonrpc": "2.0", "id": id_, "error": error})


@dataclass(frozen=True)
class Message:
    """A line that the SDK takes: the id it wants a reply for, or the id of the request it calls off."""

    text: str
    asks: str | None = None
    cancels: str | None = None


def parse_message(line: bytes) -> Message:
    """Return the message in the line.

    Raises:
        MalformedError: it is not UTF-8, not JSON, or not a message.
    """
    try:
        text = line.removeprefix(b"\xef\xbb\xbf").decode()
        value = from_json(text)
    except UnicodeDecodeError:
        raise malformed_reply(line, "the line is not UTF-8") from None
    except ValueError as broken:
        raise malformed_reply(line, str(broken)) from None
    fault = _fault(value)
    if fault:
        id_ = value.get("id") if isinstance(value, dict) else None
        message = f"Invalid request: {fault}."
        raise MalformedError(INVALID_REQUEST, message, id_ if _is_id(id_) else None)
    match value:
        case {"id": int() | str() as id_, "method": _}:
            return Message(text, asks=str(id_))
        case {"method": "notifications/cancelled", "params": {"requestId": int() | str() as id_}}:
            return Message(text, cancels=str(id_))
    return Message(text)


def malformed_reply(line: bytes, why: str) -> MalformedError:
    """Return the error for a line that can't be read at all, with its id where that can still be read."""
    message = f"Parse error: {why}; send each message as one line of JSON in UTF-8."
    return MalformedError(PARSE_ERROR, message, _readable_id(line.decode(errors="replace")))


def _fault(value: object) -> str | None:
    match value:
        case {"jsonrpc": "2.0", "method": str(), **rest}:
            if "id" in rest and not _is_id(rest["id"]):
                return "the id must be a string or a whole number"
            return None if isinstance(rest.get("params"), dict | None) else "params must be an object"
        case {"jsonrpc": "2.0", "id": _, "result": _} | {"jsonrpc": "2.0", "id": _, "error": _}:
            return None
        case {"jsonrpc": "2.0"}:
            return "it has no method"
        case dict():
            return 'it lacks "jsonrpc": "2.0"'
        case list():
            return "batches are not supported, send one message a line"
    return "a message is a JSON object"


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return not _HALF.search(value)  # a reply that repeats half a surrogate pair is no UTF-8
    return isinstance(value, int) and not isinstance(value, bool)


def _readable_id(text: str) -> Id:
    """The id of a line that is no good as a whole; Python's own parser reads more than the SDK's."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        found = _ID_FIRST.match(text[:ENDS]) or _ID_LAST.search(text[-ENDS:])
        value = {"id": json.loads(found["id"])} if found else None
    id_ = value.get("id") if isinstance(value, dict) else None
    return id_ if _is_id(id_) else None


def answered_id(line: str) -> str | None:
    """Return the id that a line to the client answers, if it is a reply."""
    found = _REPLY.match(line)
    value = {"id": from_json(found["id"]), "result": {}} if found else from_json(line)
    return str(value["id"]) if "method" not in value and "id" in value else None
