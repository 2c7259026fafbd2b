"""Servers for other programs: MCP."""
