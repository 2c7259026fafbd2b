"""Tokens of a service, the logins made with them, how often each asked, and what was done."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from mnemic.store import codec
from mnemic.store.sql.part import Fields, Part, SqlConnection, SqlRows, read_statements
from mnemic.types import AccessEntry, Grant

_SQL = read_statements("sql/tokens")
_GRANT = Fields(
    Grant,
    "id name scope spaces:words rate quota created_at:time expires_at:time? used_at:time?"
    " revoked_at:time?",
    prefix="t.",
)
_ACCESS = Fields(AccessEntry, "id at:time token operation status subject")
_KEPT = timedelta(days=400)  # of the trail
_LOOK = "0"  # one id of sixteen ends so, and looks for what is older
_DATABASE = -1  # in the place of a space


class SqlTokens:
    """The tokens of a database, on a connection that may see what belongs to no space."""

    def __init__(self, conn: SqlConnection) -> None:
        self._conn = conn

    def add(self, grant: Grant, digest: str) -> None:
        """Keep a grant; the issuer's say of one that is there already replaces what it may do."""
        values = _GRANT.of(grant, "id name scope spaces rate quota created_at expires_at".split())
        self._run("add_token", digest=digest, **values)
        if not self._conn.changes():
            changed = _GRANT.of(grant, "name scope spaces".split())
            self._run("update_token", digest=digest, **changed)

    def find(self, digest: str) -> Grant | None:
        """The grant of a token, also one that holds no longer."""
        return next(self._grants("WHERE t.digest = ?", digest), None)

    def all(self) -> list[Grant]:
        return list(self._grants("ORDER BY t.created_at, t.id"))

    def by_id(self, id_: str) -> Grant | None:
        return next(self._grants("WHERE t.id = ?", id_), None)

    def find_login(self, digest: str, now: datetime) -> str:
        """The id of the token that a page was logged in with; empty where it was not."""
        return str(self._run("find_login", digest=digest, now=now).get or "")

    def revoke(self, id_: str, now: datetime) -> Grant | None:
        """Take a token back, with its logins; None where there is none that holds."""
        self._run("revoke_token", id=id_, now=now)
        if not self._conn.changes():
            return None
        self._run("drop_logins_of", id=id_, now=now)
        return self.by_id(id_)

    def log_in(self, digest: str, token: str, expires_at: datetime) -> None:
        self._run("log_in", digest=digest, token=token, expires_at=expires_at)

    def log_out(self, digest: str) -> None:
        self._run("log_out", digest=digest)

    def use(self, token: str, at: datetime, periods: dict[str, int]) -> dict[str, int]:
        """Add requests to what all processes counted in each period; gives the sums."""
        self._run("use_token", id=token, at=at)
        sums = {
            period: int(self._run("count_uses", token=token, period=period, amount=amount).get)
            for period, amount in periods.items()
        }
        day, minute = periods_of(at)
        self._run("drop_uses", token=token, day=day, minute=minute)
        return sums

    def note(self, entry: AccessEntry) -> None:
        """Note what was done to the database, or to a space that is no longer there."""
        self._run("begin_access", space=_DATABASE, **_ACCESS.of(entry))

    def trail(self, token: str | None, limit: int) -> list[AccessEntry]:
        """The same, the latest first."""
        rows = self._run("accesses", space=_DATABASE, token=token, limit=limit, offset=0)
        return [_ACCESS.read(row) for row in rows]

    def uses(self, token: str, period: str) -> int:
        return int(self._run("uses_of", token=token, period=period).get or 0)

    def _grants(self, clause: str, *values: Any) -> Iterator[Grant]:
        rows = self._conn.execute(f"SELECT {_GRANT.columns} FROM tokens t {clause}", values)
        return map(_GRANT.read, rows.fetchall())

    def _run(self, statement: str, /, **values: Any) -> SqlRows:
        return self._conn.execute(_SQL[statement], {k: codec.encode(v) for k, v in values.items()})


def periods_of(now: datetime) -> tuple[str, str]:
    """The day and the minute of a time, in UTC."""
    text = codec.from_micros(codec.to_micros(now)).isoformat()
    return text[:10], text[:16]


class SqlAccesses(Part):
    """The trail of one space: who did what."""

    statements = _SQL

    def begin(self, entry: AccessEntry) -> None:
        """Note what is done, or about to be; what is very old goes."""
        self._run("begin_access", **_ACCESS.of(entry))
        if entry.id.endswith(_LOOK):
            self._run("drop_accesses", before=entry.at - _KEPT)

    def end(self, id_: str, status: int) -> None:
        self._run("end_access", id=id_, status=status)

    def list(self, id_: str | None, limit: int, offset: int) -> list[AccessEntry]:
        """The latest first, all or those of one token."""
        rows = self._run("accesses", token=id_, limit=limit, offset=offset)
        return [_ACCESS.read(row) for row in rows]
