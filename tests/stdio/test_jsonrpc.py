import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp_types import JSONRPCNotification, JSONRPCRequest
from mcp_types.jsonrpc import jsonrpc_message_adapter
from pydantic import ValidationError

from firmmem.stdio import jsonrpc
from firmmem.stdio.jsonrpc import (
    ENDS,
    INVALID_REQUEST,
    PARSE_ERROR,
    MalformedError,
    Message,
    answered_id,
    malformed_reply,
    parse_message,
)

CALL = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{"text":"%s"}}}'

LATE = b'{"method":"tools/call","params":{"arguments":{"text":"%s"}},"jsonrpc":"2.0","id":7}'


def refusal(line: bytes) -> tuple[int, object, str]:
    with pytest.raises(MalformedError) as caught:
        parse_message(line)
    reply = json.loads(caught.value.reply)
    assert reply.keys() == {"jsonrpc", "id", "error"}
    assert "\n" not in caught.value.reply
    return reply["error"]["code"], reply["id"], reply["error"]["message"]


def test_a_message_is_read_with_the_id_that_it_asks_an_answer_for() -> None:
    line = '{"jsonrpc":"2.0","id":"a","method":"ping"}'
    assert parse_message(line.encode()) == Message(line, asks="a")
    assert parse_message(b"\xef\xbb\xbf" + line.encode() + b"\r") == Message(line + "\r", asks="a")
    assert parse_message(b'{"jsonrpc":"2.0","method":"x","params":null}').asks is None
    assert parse_message(b'{"jsonrpc":"2.0","id":1,"result":{}}').asks is None
    cancel = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}'
    assert parse_message(cancel).cancels == "3"


@pytest.mark.parametrize(
    ("line", "id_"),
    [
        (CALL % b"\xff\xfe", 7),
        (CALL % b"\\ud800", 7),
        (CALL % b"\\udc00 and more", 7),
        (CALL % b"\xed\xa0\x80", 7),
        (CALL % b"a\x01b", 7),
        (CALL[:-2], 7),
        (b'{"id":"x","method":', "x"),
        (b'{"method":"tools/call","params":{"id":3},,"jsonrpc":"2.0","id":8}', 8),
        (b'{"method":"tools/call","params":{"x":1,"id":3}', None),
        (b"hello", None),
        (b"{", None),
        (b'["' + b"[" * 10_000, None),
        (b"Content-Length: 120", None),
    ],
)
def test_a_line_that_is_not_json_is_answered_with_its_id_where_that_can_be_told(line: bytes, id_: object) -> None:
    code, told, message = refusal(line)
    assert (code, told) == (PARSE_ERROR, id_)
    assert message.endswith("send each message as one line of JSON in UTF-8.")


@pytest.mark.parametrize(
    ("line", "id_", "fault"),
    [
        (b'{"jsonrpc":"2.0","id":7}', 7, "it has no method"),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, 'it lacks "jsonrpc": "2.0"'),
        (b'{"id":"a","method":"ping"}', "a", 'it lacks "jsonrpc": "2.0"'),
        (b'{"jsonrpc":"2.0","id":7,"method":5}', 7, "it has no method"),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', 7, "params must be an object"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, "the id must be a string or a whole number"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, "the id must be a string or a whole number"),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, "the id must be a string or a whole number"),
        (b'[{"jsonrpc":"2.0","id":7,"method":"ping"}]', None, "batches are not supported"),
        (b'"ping"', None, "a message is a JSON object"),
        (b"7", None, "a message is a JSON object"),
        (b"null", None, "a message is a JSON object"),
        (b"NaN", None, "a message is a JSON object"),
    ],
)
def test_json_that_is_no_message_is_answered_with_what_is_wrong(line: bytes, id_: object, fault: str) -> None:
    code, told, message = refusal(line)
    assert (code, told) == (INVALID_REQUEST, id_)
    assert message.startswith(f"Invalid request: {fault}")


def test_the_ends_of_a_long_line_tell_its_id() -> None:
    for line in (CALL % (b"x" * 10_000), LATE % (b"x" * 10_000)):
        reply = json.loads(malformed_reply(line[:ENDS] + line[-ENDS:], "it is too long").reply)
        assert reply["id"] == 7


@pytest.mark.parametrize(
    ("line", "id_"),
    [
        ('{"jsonrpc":"2.0","id":7,"result":{}}\n', "7"),
        ('{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"m"}}\n', "a"),
        ('{"id":"q\\"q","jsonrpc":"2.0","result":{"id":8}}\n', 'q"q'),
        ('{"jsonrpc":"2.0","method":"notifications/message","params":{"id":8}}\n', None),
        ('{"jsonrpc":"2.0","id":9,"method":"ping"}\n', None),
    ],
)
def test_a_reply_tells_which_request_it_answers(line: str, id_: str | None) -> None:
    assert answered_id(line) == id_


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["2.0", "ping"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
nearly_messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | json_values,
        "id": st.integers() | st.text() | json_values,
        "method": st.just("ping") | json_values,
        "params": st.dictionaries(st.text(), json_values) | json_values,
    },
)


@given(st.binary() | (nearly_messages | json_values).map(lambda value: json.dumps(value).encode()))
@example(b'{"jsonrpc": "2.0", "id": 12345678901234567890, "method": "ping"}')
@example(b'{"jsonrpc": "2.0", "id": 1, "id": [], "method": "ping"}')
@example(b'{"jsonrpc": "2.0", "method": "ping", "params": ' + b"[" * 199 + b"]" * 199 + b"}")
@example(b'{"jsonrpc": "2.0", "method": "ping", "params": {"a": ' + b"[" * 250 + b"]" * 250 + b"}}")
def test_exactly_what_the_sdk_takes_is_passed_on_and_the_rest_is_answered(line: bytes) -> None:
    try:
        taken = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        taken = None
    message, code = None, 0
    try:
        message = parse_message(line)
    except MalformedError as malformed:
        code = json.loads(malformed.reply)["error"]["code"]
    if message is None:
        assert code in {PARSE_ERROR, INVALID_REQUEST}
        # The SDK takes a request with an impossible id for a notification.
        assert taken is None or isinstance(taken, JSONRPCNotification)
    else:
        assert taken is not None
        assert (message.asks is not None) == isinstance(taken, JSONRPCRequest)


@pytest.mark.parametrize("id_", ["\\ud800", "x\\udfff", "\\udc00\\ud800"])
def test_an_id_that_no_reply_could_repeat_is_answered_without_it(id_: str) -> None:
    line = f'{{"jsonrpc": "2.0", "id": "{id_}", "method": "ping"}}'.encode()
    with pytest.raises(jsonrpc.MalformedError) as refusal:
        jsonrpc.parse_message(line)
    assert '"id": null' in refusal.value.reply
