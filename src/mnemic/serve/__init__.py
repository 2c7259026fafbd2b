"""Servers for other programs: MCP."""

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
