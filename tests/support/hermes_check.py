"""Drives Hermes Agent's own code against the MCP server its `config.yaml` names.

Run by the Python of an environment that has hermes-agent; HERMES_HOME names the folder of the `config.yaml`:

    python hermes_check.py call '[["firmmem_recall_memory", {"query": "tea"}]]' report.json
    python hermes_check.py ask "What do I drink?"

The first needs no model: start-up discovery, then the handling of tool calls. The second is the agent loop of
`hermes -z`, which itself does not wait for its MCP servers: here they are connected before it starts.
"""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import model_tools
from hermes_cli.oneshot import run_oneshot
from tools import mcp_tool
from tools.registry import registry

SERVER = "firmmem"


def main(verb: str, *arguments: str) -> int:
    tools = sorted(mcp_tool.discover_mcp_tools())
    try:
        return run_oneshot(*arguments) if verb == "ask" else report(tools, *arguments)
    finally:
        mcp_tool.shutdown_mcp_servers()


def report(tools: list[str], calls: str, path: str) -> int:
    found = {**described(tools), "results": [call(*each) for each in json.loads(calls)]}
    Path(path).write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
    return 0


def described(tools: list[str]) -> dict[str, Any]:
    server = mcp_tool._servers.get(SERVER)
    return {
        "tools": tools,
        "schemas": {tool: registry.get_schema(tool)["parameters"] for tool in tools},
        "instructions": server.initialize_result.instructions if server else None,
        "connect_errors": {name: str(error) for name, error in mcp_tool._server_connect_errors.items()},
        "firmmem_is_importable": importlib.util.find_spec("firmmem") is not None,
    }


def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a model would read: `result`, or `error`."""
    name = mcp_tool.mcp_prefixed_tool_name(SERVER, tool)
    return json.loads(model_tools.handle_function_call(name, arguments))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
