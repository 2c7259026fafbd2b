"""Mnemic behind the calls of other memory libraries."""
