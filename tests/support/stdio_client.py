"""A small blocking MCP client over stdio: tests and benches see every byte, and time only the server."""

import json
import os
import select
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

PROTOCOL = "2025-06-18"


class StdioClient:
    """One started server. Every line on its stdout must be a JSON object: anything else fails at once."""

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        timeout_s: float = 30,
    ) -> None:
        self.timeout_s = timeout_s
        self._errors = tempfile.NamedTemporaryFile()  # noqa: SIM115 - closed on exit
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=env,
            cwd=cwd,
            bufsize=0,
        )
        self._buffer = b""
        self._id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the server if it still runs, and let go of its pipes."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self._errors):
            if pipe is not None:
                pipe.close()

    def send_line(self, line: bytes) -> None:
        """Send the bytes as they are, and a line end."""
        self.send_bytes(line + b"\n")

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        rest = memoryview(data)
        while rest:
            rest = rest[self.process.stdin.write(rest) :]

    def send(self, method: str, params: Mapping[str, Any] | None = None, id_: int | str | None = None) -> None:
        """Send a request if there is an id, a notification if not; don't wait."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": dict(params or {})}
        self.send_line(json.dumps(message if id_ is None else message | {"id": id_}).encode())

    def receive(self) -> dict[str, Any]:
        """Return the next message; EOFError when the server has closed its stdout."""
        line = self._line()
        try:
            message = json.loads(line)
        except ValueError:
            raise AssertionError(f"not JSON on stdout: {line[:200]!r}") from None
        assert isinstance(message, dict), f"no message on stdout: {line[:200]!r}"
        return message

    def _line(self) -> bytes:
        pieces = [self._buffer]
        while b"\n" not in pieces[-1]:
            piece = self._read()
            if not piece:
                self._buffer = b"".join(pieces)
                raise EOFError(f"the server closed its stdout; stderr: {self.stderr()[-2000:]}")
            pieces.append(piece)
        line, _, self._buffer = b"".join(pieces).partition(b"\n")
        return line

    def _read(self) -> bytes:
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        # Windows can't wait for a pipe: there a silent server blocks the test.
        if os.name == "posix" and not select.select([descriptor], [], [], self.timeout_s)[0]:
            raise TimeoutError(f"silent for {self.timeout_s} s; stderr: {self.stderr()[-2000:]}")
        return os.read(descriptor, 2**20)

    def rest(self) -> list[dict[str, Any]]:
        """Return every message up to the end of the server's stdout."""
        messages = []
        while True:
            try:
                messages.append(self.receive())
            except EOFError:
                assert not self._buffer, f"half a line on stdout: {self._buffer[:200]!r}"
                return messages

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return its whole response, with `result` or `error`."""
        self._id += 1
        self.send(method, params, self._id)
        while (message := self.receive()).get("id") != self._id:
            pass
        return message

    def initialize(self) -> dict[str, Any]:
        """Shake hands and return the server's part of it."""
        client = {"name": "stdio-client", "version": "1"}
        params = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
        result: dict[str, Any] = self.request("initialize", params)["result"]
        self.send("notifications/initialized")
        return result

    def tools(self) -> list[dict[str, Any]]:
        tools: list[dict[str, Any]] = self.request("tools/list")["result"]["tools"]
        return tools

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool and return its result, with `content` and `isError`."""
        result: dict[str, Any] = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        return result

    def text(self, tool: str, **arguments: object) -> str:
        """Call a tool and return the text of its result."""
        return "\n".join(part["text"] for part in self.call(tool, **arguments)["content"])

    def close(self) -> int:
        """Close the server's stdin, keep what it still says for `rest`, and return its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        pieces = [self._buffer]
        while piece := self._read():
            pieces.append(piece)
        self._buffer = b"".join(pieces)
        return self.wait()

    def terminate(self) -> int:
        """Send SIGTERM and return the exit code."""
        self.process.terminate()
        return self.wait()

    def kill(self) -> int:
        """Send SIGKILL and return the exit code."""
        self.process.kill()
        return self.wait()

    def wait(self) -> int:
        """Return the exit code when the server has ended."""
        return self.process.wait(self.timeout_s)

    def stderr(self) -> str:
        """Return what the server has written to stderr so far."""
        return Path(self._errors.name).read_text(errors="replace")
