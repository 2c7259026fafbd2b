"""A pytest plugin for the tests that hosts have of their own stores and sessions: where they open
theirs, they get ours. It is loaded before the tests are, in an environment of the hosts.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import mnemic

_FOLDER = tempfile.mkdtemp(prefix="mnemic-hosts-")
_NUMBERS = itertools.count()


def _open(path: object = ":memory:") -> mnemic.Mind:
    """A mind in a file beside theirs, or in one of its own where theirs is in RAM."""
    own = f"{_FOLDER}/{next(_NUMBERS)}.db"
    return mnemic.open(own if str(path) == ":memory:" else f"{path}.mind", worker="none")


def langgraph_store() -> None:
    import langgraph.store.memory as host

    from mnemic.integrations import GraphStore

    class InMemoryStore(GraphStore):
        def __init__(self, *, index: Any = None) -> None:
            super().__init__(_open(), fields=(index or {}).get("fields"))

    vars(host)["InMemoryStore"] = InMemoryStore


def langgraph_sqlite_store() -> None:
    import langgraph.store.sqlite as host
    import langgraph.store.sqlite.aio as host_aio

    from mnemic.integrations import GraphStore

    def fields(index: Any) -> Any:
        return None if not index else index.get("text_fields") or index.get("fields")

    class SqliteStore(GraphStore):
        @classmethod
        @contextlib.contextmanager
        def from_conn_string(
            cls, path: str, *, index: Any = None, ttl: Any = None
        ) -> Iterator[Any]:
            with _open(path) as mind:
                yield cls(mind, fields=fields(index))

        def setup(self) -> None:
            """Nothing has to be set up."""

    class AsyncSqliteStore(SqliteStore):
        @classmethod
        @contextlib.asynccontextmanager
        async def from_conn_string(  # type: ignore[override]
            cls, path: str, *, index: Any = None, ttl: Any = None
        ) -> AsyncIterator[Any]:
            with _open(path) as mind:
                yield cls(mind, fields=fields(index))

        async def setup(self) -> None:  # type: ignore[override]
            """Nothing has to be set up."""

    host.SqliteStore = SqliteStore
    host_aio.AsyncSqliteStore = host.AsyncSqliteStore = AsyncSqliteStore


def openai_agents_session() -> None:
    import agents
    from agents import memory

    from mnemic.integrations import AgentsSession

    minds: dict[str, mnemic.Mind] = {}

    class SQLiteSession(AgentsSession):
        """Opened as theirs is; sessions of one file share a mind, as theirs share a file."""

        def __init__(
            self,
            session_id: str,
            db_path: str | Path = ":memory:",
            sessions_table: str = "",
            messages_table: str = "",
            session_settings: Any = None,
        ) -> None:
            path = str(db_path)
            if path == ":memory:":
                mind = _open()
            else:
                mind = minds.get(path) or minds.setdefault(path, _open(path))
            super().__init__(mind, session_id, session_settings=session_settings)

        def close(self) -> None:
            """The mind of a file stays open for the other sessions of it."""

    class AsyncSQLiteSession(SQLiteSession):
        async def close(self) -> None:  # type: ignore[override]
            """The mind of a file stays open for the other sessions of it."""

    extra = importlib.import_module("agents.extensions.memory")
    async_sqlite = importlib.import_module("agents.extensions.memory.async_sqlite_session")
    for module in (extra, async_sqlite):
        module.AsyncSQLiteSession = AsyncSQLiteSession  # type: ignore[attr-defined]
    sqlite = importlib.import_module("agents.memory.sqlite_session")
    for module in (agents, memory, sqlite):
        module.SQLiteSession = SQLiteSession  # type: ignore[attr-defined]


_SUITES = {
    "langgraph-store": langgraph_store,
    "langgraph-sqlite-store": langgraph_sqlite_store,
    "openai-agents-session": openai_agents_session,
}
_SUITES[os.environ["STAND_IN"]]()
