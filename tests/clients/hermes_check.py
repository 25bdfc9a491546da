"""Drives Hermes Agent's own MCP client, with no model: its start-up discovery and its handling of tool calls.

Run by the Python of an environment that has hermes-agent; HERMES_HOME names a folder with a `config.yaml`:

    python hermes_check.py '[["firmmem_recall_memory", {"query": "tea"}]]' report.json
"""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import model_tools
from tools import mcp_tool
from tools.registry import registry

SERVER = "firmmem"


def main(calls: str, report: str) -> None:
    tools = sorted(mcp_tool.discover_mcp_tools())
    try:
        found = {**described(tools), "results": [call(*each) for each in json.loads(calls)]}
    finally:
        mcp_tool.shutdown_mcp_servers()
    Path(report).write_text(json.dumps(found, ensure_ascii=False, default=str))


def described(tools: list[str]) -> dict[str, Any]:
    server = mcp_tool._servers.get(SERVER)
    handshake = server.initialize_result if server else None
    return {
        "tools": tools,
        "schemas": {tool: registry.get_schema(tool)["parameters"] for tool in tools},
        "instructions": handshake and handshake.instructions,
        "capabilities": handshake and handshake.capabilities.model_dump(exclude_none=True),
        "connect_errors": dict(mcp_tool._server_connect_errors),
        "firmmem_is_importable": importlib.util.find_spec("firmmem") is not None,
    }


def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a model would read: `result`, or `error`."""
    name = mcp_tool.mcp_prefixed_tool_name(SERVER, tool)
    return json.loads(model_tools.handle_function_call(name, arguments))


if __name__ == "__main__":
    main(*sys.argv[1:])
