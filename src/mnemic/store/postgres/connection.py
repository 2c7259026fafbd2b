"""A transaction on PostgreSQL that is spoken to as if it were SQLite.

Statements are queued and sent together: the answer of one is waited for when it is looked at, so
a turn is recorded in few round trips however far the server is.
"""

from __future__ import annotations

import contextlib
import selectors
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from mnemic.store.postgres.dialect import translate

if TYPE_CHECKING:
    from psycopg import Connection, Pipeline, RawCursor
    from psycopg.abc import AdaptContext

SCHEMA = "mnemic"
_SIZED = (str, bytes, list)
_ESCAPE = "\ufffe"  # no character: before it stands for NUL, or for itself


class PostgresRows:
    """The answer of a statement; it comes when it is first looked at."""

    __slots__ = ("_cursor",)

    def __init__(self, cursor: RawCursor[Any]) -> None:
        self._cursor = cursor

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cursor)

    def fetchone(self) -> Any:
        return self._cursor.fetchone()

    def fetchall(self) -> list[Any]:
        return self._cursor.fetchall()

    @property
    def get(self) -> Any:
        row = self._cursor.fetchone()
        if row is None:
            return None
        return row[0] if len(row) == 1 else row


class PostgresConnection:
    """One connection inside one transaction."""

    def __init__(self, conn: Connection[Any], pipeline: Pipeline) -> None:
        self.conn = conn
        self._pipeline = pipeline
        self._last: RawCursor[Any] | None = None
        self.sent = 0  # characters, bytes and items of what was sent

    def execute(self, statements: str, bindings: Any = None, /) -> PostgresRows:
        """Run statements in SQLite's words; the answer is the last one's."""
        *_, rows = (
            self.native(statement.text, statement.bind(bindings or ()))
            for statement in translate(statements)
        )
        return rows

    def executemany(self, statements: str, sequenceofbindings: Iterable[Any], /) -> None:
        translated = translate(statements)
        for bindings in sequenceofbindings:
            for statement in translated:
                self.native(statement.text, statement.bind(bindings))

    def native(self, statement: str, values: list[Any] | tuple[Any, ...] = ()) -> PostgresRows:
        """Run a statement in PostgreSQL's own words, with ``$1`` for the first value."""
        cursor = self.conn.cursor()
        self.sent += sum(len(value) for value in values if isinstance(value, _SIZED))
        cursor.execute(statement, values)
        self._send()
        self._last = cursor  # type: ignore[assignment]
        return PostgresRows(cursor)  # type: ignore[arg-type]

    def changes(self) -> int:
        """The rows that the last statement changed."""
        self.flush()
        return 0 if self._last is None else max(0, self._last.rowcount)

    def _send(self) -> None:
        """Hand everything to the network. The driver leaves what does not fit at once, and would
        then wait for the answer to a statement that the server has only the beginning of.
        """
        pgconn = self.conn.pgconn
        if not pgconn.flush():
            return
        with selectors.DefaultSelector() as waiting:
            waiting.register(pgconn.socket, selectors.EVENT_READ | selectors.EVENT_WRITE)
            while pgconn.flush():
                for _, ready in waiting.select():
                    if ready & selectors.EVENT_READ:  # the server waits for us to take its answer
                        pgconn.consume_input()

    def flush(self) -> None:
        """Wait for everything that was sent: what went wrong is raised here."""
        self._pipeline.sync()

    def recover(self) -> None:
        """Go on after an error: the statements that were sent behind it were not done."""
        import psycopg

        while True:
            with contextlib.suppress(psycopg.errors.PipelineAborted):
                return self._pipeline.sync()


def adapt(context: AdaptContext) -> None:
    """Values as SQLite has them: true is 1, a text may hold NUL, a sum of whole numbers is one."""
    from psycopg.adapt import Dumper, Loader
    from psycopg.types.numeric import Int8Dumper
    from psycopg.types.string import StrDumper, TextLoader

    class FlagDumper(Dumper):
        oid = Int8Dumper.oid

        def dump(self, obj: Any) -> bytes:
            return b"1" if obj else b"0"

    class TextDumper(StrDumper):
        def dump(self, obj: str) -> Any:
            return super().dump(escape(obj) if "\0" in obj or _ESCAPE in obj else obj)

    class EscapedLoader(TextLoader):
        def load(self, data: Any) -> str:
            text = str(super().load(data))
            return text.replace(f"{_ESCAPE}0", "\0").replace(f"{_ESCAPE}1", _ESCAPE)

    class NumberLoader(Loader):
        def load(self, data: Any) -> int | float:
            number = bytes(data)
            return int(number) if number.lstrip(b"-").isdigit() else float(number)

    adapters = context.adapters
    adapters.register_dumper(bool, FlagDumper)
    adapters.register_dumper(int, Int8Dumper)
    adapters.register_dumper(str, TextDumper)
    adapters.register_loader("text", EscapedLoader)
    adapters.register_loader("numeric", NumberLoader)


def escape(text: str) -> str:
    """A text that PostgreSQL can store, which has no NUL."""
    return text.replace(_ESCAPE, f"{_ESCAPE}1").replace("\0", f"{_ESCAPE}0")
