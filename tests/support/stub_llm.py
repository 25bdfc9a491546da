"""A scripted model at an OpenAI-compatible address on loopback: a real agent loop runs without a model.

It answers with the scripted tool calls, one a request, then with a closing text. Requests are kept, so that a
test can look at what a tool answered.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ToolCall = tuple[str, dict[str, Any]]
USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


@contextmanager
def scripted_model(calls: list[ToolCall]) -> Iterator["ScriptedModel"]:
    """Serves the script until the block ends."""
    with ScriptedModel(calls) as model:
        thread = threading.Thread(target=model.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield model
        finally:
            model.shutdown()
            thread.join()


class ScriptedModel(ThreadingHTTPServer):
    """The script, and every request that was made of it."""

    def __init__(self, calls: list[ToolCall]) -> None:
        super().__init__(("127.0.0.1", 0), Reply)
        self.calls = calls
        self.requests: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def offered_tools(self) -> set[str]:
        """The tools the agent showed to the model."""
        return {tool["function"]["name"] for request in self.requests for tool in request.get("tools") or []}

    @property
    def tool_results(self) -> list[str]:
        """What the tools had answered by the last request."""
        return [message["content"] for message in self.requests[-1]["messages"] if message["role"] == "tool"]


class Reply(BaseHTTPRequestHandler):
    """One request and its scripted answer."""

    server: ScriptedModel
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send("application/json", json.dumps({"data": [{"id": "stub", "object": "model"}]}))

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        if not self.path.endswith("/chat/completions"):
            self.send("application/json", "{}")  # a client asking which local model server this is
            return
        self.server.requests.append(request)
        message = self.next_message(request)
        if request.get("stream"):
            self.send("text/event-stream", "".join(f"data: {chunk}\n\n" for chunk in streamed(message)))
        else:
            self.send("application/json", completion("chat.completion", message=message))

    def next_message(self, request: dict[str, Any]) -> dict[str, Any]:
        done = sum(message["role"] == "tool" for message in request["messages"])
        if done == len(self.server.calls) or not request.get("tools"):
            return {"role": "assistant", "content": f"Done after {done} tool results."}
        name, arguments = self.server.calls[done]
        offered = [tool["function"]["name"] for tool in request["tools"]]
        function = {
            "name": next((tool for tool in offered if tool.endswith(name)), name),
            "arguments": json.dumps(arguments),
        }
        call = {"index": 0, "id": f"call_{done}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    def send(self, content_type: str, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing: the test's output is enough."""


def streamed(message: dict[str, Any]) -> Iterator[str]:
    yield completion("chat.completion.chunk", delta=message)
    yield completion("chat.completion.chunk", delta={}, finish_reason=finish_reason(message))
    yield json.dumps({**envelope("chat.completion.chunk"), "choices": [], "usage": USAGE})
    yield "[DONE]"


def completion(kind: str, **choice: Any) -> str:
    if "message" in choice:
        choice["finish_reason"] = finish_reason(choice["message"])
    choices = [{"index": 0, "finish_reason": None, **choice}]
    return json.dumps({**envelope(kind), "choices": choices, "usage": USAGE})


def envelope(kind: str) -> dict[str, Any]:
    return {"id": "scripted", "object": kind, "created": 0, "model": "stub"}


def finish_reason(message: dict[str, Any]) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"
