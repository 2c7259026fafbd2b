"""The HTTP service: a JSON API over the memories of one database, and MCP on the same port."""
