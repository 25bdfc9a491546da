"""A scripted model at an address like Anthropic's on loopback: the real Claude Code runs without a model.

It answers with the scripted tool calls, one a request, then with a closing text. Requests are kept, so that a test can
look at what reached the model.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.stub_llm import ToolCall

USAGE = {"input_tokens": 10, "output_tokens": 5}


@contextmanager
def scripted_anthropic(calls: list[ToolCall]) -> Iterator["ScriptedAnthropic"]:
    """Serves the script until the block ends."""
    with ScriptedAnthropic(calls) as model:
        thread = threading.Thread(target=model.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield model
        finally:
            model.shutdown()
            thread.join()


class ScriptedAnthropic(ThreadingHTTPServer):
    """The script, and every request with tools that was made of it: others are about titles and the like."""

    daemon_threads = True

    def __init__(self, calls: list[ToolCall]) -> None:
        super().__init__(("127.0.0.1", 0), Reply)
        self.calls = calls
        self.requests: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def offered_tools(self) -> set[str]:
        """The tools that the agent showed to the model in its first request."""
        return {str(tool.get("name")) for tool in self.requests[0]["tools"]}

    @property
    def tool_results(self) -> list[str]:
        """What the tools had answered by the last request."""
        return [text_of(block["content"]) for block in blocks(self.requests[-1]) if block.get("type") == "tool_result"]

    def heard(self, request: int = 0) -> str:
        """What a request said in its messages, tool results apart."""
        return "\n".join(str(block.get("text", "")) for block in blocks(self.requests[request]))


def blocks(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the blocks of a request's messages."""
    contents = [message["content"] for message in request["messages"]]
    return [
        block
        for content in contents
        for block in ([{"type": "text", "text": content}] if isinstance(content, str) else content)
    ]


def text_of(content: str | list[dict[str, Any]]) -> str:
    """Return what a tool answered as one text."""
    return content if isinstance(content, str) else "\n".join(str(block.get("text", "")) for block in content)


class Reply(BaseHTTPRequestHandler):
    """One request and its scripted answer."""

    server: ScriptedAnthropic
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send("application/json", '{"data":[]}')

    def do_HEAD(self) -> None:
        self.send("application/json", "")

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if not self.path.partition("?")[0].endswith("/messages"):
            self.send("application/json", '{"input_tokens": 10}')
            return
        if request.get("tools"):
            self.server.requests.append(request)
        block = self.next_block(request)
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": request.get("model", "stub"),
            "content": [block],
            "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": USAGE,
        }
        if request.get("stream"):
            events = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in streamed(message))
            self.send("text/event-stream", events)
        else:
            self.send("application/json", json.dumps(message))

    def next_block(self, request: dict[str, Any]) -> dict[str, Any]:
        done = sum(block.get("type") == "tool_result" for block in blocks(request))
        if done >= len(self.server.calls) or not request.get("tools"):
            return {"type": "text", "text": f"Done after {done} tool results."}
        name, arguments = self.server.calls[done]
        offered = [str(tool.get("name")) for tool in request["tools"]]
        full = next((tool for tool in offered if tool.endswith(name)), name)
        return {"type": "tool_use", "id": f"toolu_{done}", "name": full, "input": arguments}

    def send(self, content_type: str, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing: the test's output is enough."""


def streamed(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events that bring a message of one block."""
    [block] = message["content"]
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    if block["type"] == "text":
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": USAGE}
    yield {"type": "message_stop"}
