"""FirmMem as another program sees it: a process that is started, asked over stdio and let go."""

import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

INSTALLED = Path(sys.executable).parent / "firmmem-mcp"


async def ask(tool: str, arguments: dict[str, Any], environment: dict[str, str], command: Path = INSTALLED) -> str:
    """One tool call in a process of its own, so that the file is never opened by the test."""
    server = StdioServerParameters(command=str(command), env=environment)
    with anyio.fail_after(60):
        async with Client(server) as client:
            result = await client.call_tool(tool, arguments)
    text = "\n".join(block.text for block in result.content)
    assert not result.is_error, text
    return text
