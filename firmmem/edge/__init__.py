"""What MCP clients see: the server, its six tools, and how their arguments are read."""
