"""Faces for other programs: the MCP server."""
