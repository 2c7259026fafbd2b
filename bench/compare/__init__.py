"""Mnemic beside other memories and plain retrievers: `make compare`."""
