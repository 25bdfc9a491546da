"""MCP over stdio: the pipes, JSON-RPC, and what clients really send."""
