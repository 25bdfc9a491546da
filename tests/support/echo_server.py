"""A real MCP server that misbehaves as dependencies do, to test what surrounds it on stdio."""

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from firmmem.stdio import serve

streams = serve.claim_stdio()
print("a dependency prints at import: 你好")

import anyio  # noqa: E402
from mcp.server.mcpserver import MCPServer  # noqa: E402
from mcp.server.stdio import stdio_server  # noqa: E402


@asynccontextmanager
async def lifespan(_: object) -> AsyncIterator[None]:
    print("lifespan: opened", file=sys.stderr)
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(0.05)
        print("lifespan: closed", file=sys.stderr)


server: MCPServer[Any] = MCPServer("echo", log_level="WARNING", lifespan=lifespan)


@server.tool(structured_output=False)
async def echo(text: str) -> str:
    """Answer with the text."""
    return text


@server.tool(structured_output=False)
async def noise() -> str:
    """Print in every way there is, and read what isn't there."""
    print("printed: 你好")
    os.write(1, b"written\n")
    ctypes.CDLL(None).puts(b"put")
    ctypes.CDLL(None).fflush(None)
    subprocess.run([sys.executable, "-c", "print('child')"], check=True)  # noqa: ASYNC221
    return repr(sys.stdin.read())


@server.tool(structured_output=False)
async def wait(seconds: float) -> str:
    """Answer late."""
    await anyio.sleep(seconds)
    return "waited"


@server.tool(structured_output=False)
async def insist(seconds: float) -> str:
    """Answer late, whatever happens."""
    with anyio.CancelScope(shield=True):
        await anyio.sleep(seconds)
    return "insisted"


@server.tool(structured_output=False)
async def block(seconds: float) -> str:
    """Stop the event loop."""
    time.sleep(seconds)  # noqa: ASYNC251
    return "blocked"


async def run(wire: anyio.AsyncFile[str]) -> None:
    lowlevel = server._lowlevel_server
    async with stdio_server(stdin=wire, stdout=wire) as (read, write):
        await lowlevel.run(read, write, lowlevel.create_initialization_options())


if __name__ == "__main__":
    serve.serve(run, streams)
