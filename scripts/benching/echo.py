"""The least a server on this SDK can do: one tool that answers with what it was given."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("echo")


@server.tool(structured_output=False)
async def echo(text: str) -> str:
    """Echo."""
    return text


if __name__ == "__main__":
    server.run("stdio")
