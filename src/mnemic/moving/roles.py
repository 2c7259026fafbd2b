"""Logins of a PostgreSQL server that reach some spaces only (docs/postgresql.md)."""

from __future__ import annotations

from collections.abc import Sequence

from mnemic.store.postgres import roles
from mnemic.store.postgres.address import read_address
from mnemic.store.postgres.server import Server


def confine(target: str, role: str, spaces: Sequence[str]) -> None:
    """Let ``role`` reach only spaces whose names are like one of ``spaces``, such as "team/%".

    Connect as the owner of the tables. Call it again after an upgrade that adds tables.
    """
    server = Server(read_address(target), busy_timeout=60)
    try:
        roles.confine(server, role, spaces)
    finally:
        server.close()
