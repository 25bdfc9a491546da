"""A client of one's own server: requests and replies as lines of JSON, and nothing else."""

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Self

from firmmem import __version__
from firmmem.errors import UnavailableError

PROTOCOL = "2025-06-18"
PATIENCE = 60.0  # seconds for the whole conversation, on a machine that is busy


class Client:
    """One started server, for as long as the block runs."""

    def __init__(self, env: Mapping[str, str], module: Sequence[str] = ("firmmem",)) -> None:
        self._env = dict(env)
        self._module = module
        self._id = 0

    def __enter__(self) -> Self:
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(  # noqa: S603 - a module of our own
            [sys.executable, "-m", *self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=self._env,
        )
        self._timer = threading.Timer(PATIENCE, self._process.kill)
        self._timer.daemon = True
        self._timer.start()
        try:
            self.server: dict[str, Any] = self._shake_hands()
        except BaseException:
            self._process.kill()
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Hang up, and wait for the server to end as it does for any client."""
        if self._process.stdin and self._process.stdout:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()
        self._timer.cancel()
        self._errors.close()

    def _shake_hands(self) -> dict[str, Any]:
        client = {"name": "firmmem-demo", "version": __version__}
        result = self._request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def tools(self) -> list[str]:
        """Return the names of the server's tools."""
        return [tool["name"] for tool in self._request("tools/list", {})["tools"]]

    def call(self, tool: str, **arguments: object) -> str:
        """Call a tool and return its text.

        Raises:
            UnavailableError: The server has gone, or the tool failed.
        """
        result = self._request("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part["text"] for part in result["content"])
        if result.get("isError"):
            raise UnavailableError(f"{tool} failed: {text}")
        return text

    def _request(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        while True:
            reply = self._receive()
            if reply.get("id") == self._id:
                break
        if "error" in reply:
            raise UnavailableError(f"The server refused {method}: {reply['error'].get('message')}")
        result: dict[str, Any] = reply["result"]
        return result

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._process.stdin is not None  # noqa: S101  # it is a pipe
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            self._gone()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101  # it is a pipe
        line = self._process.stdout.readline()
        if not line:
            self._gone()
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _gone(self) -> None:
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()
        raise UnavailableError(f"The server ended before it answered. It said: {said[-2000:] or 'nothing'}")
