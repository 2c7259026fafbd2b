"""The tokens of a database: making, finding and revoking them, and what each may ask in a time.

A process believes what it read of a token for a second, and adds what it counted to the sums of all
processes as often; so a revocation holds everywhere within a second, and a bound is passed by at
most what was asked in one.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from mnemic.clock import Clock
from mnemic.errors import InvalidInput, NotFound, RateLimited, StoreBusy, Unauthorized
from mnemic.locks import ForkSafeLock
from mnemic.rules import checks
from mnemic.store.contract import Store
from mnemic.store.sql.tokens import SqlTokens, periods_of
from mnemic.types import SCOPES, AccessEntry, Grant, Scope

PREFIX = "mnm_"
FRESH = 1.0  # seconds for which a process believes what it read
_BYTES = 32
_MOST_NAME = 100
_MOST_KNOWN = 10_000  # tokens that a process remembers
_LOGIN = timedelta(hours=12)
_MOST = 1_000_000_000


def digest_of(token: str) -> str:
    """A token has 256 random bits, so a plain hash cannot be guessed back."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def make_token(now: datetime, name: str, scope: Scope, spaces: Sequence[str]) -> tuple[str, Grant]:
    """A fresh token, which is nowhere kept, and its grant."""
    if scope not in SCOPES:
        raise InvalidInput(f"There is no scope {scope!r}", remedy=f"Use {', '.join(SCOPES)}")
    if not name.isprintable() or len(name) > _MOST_NAME:
        raise InvalidInput("The name is too long or not printable", remedy="Give a short one")
    if not spaces or not all(space.strip() for space in spaces):
        raise InvalidInput("A token needs a space", remedy="Name one, or * for every space")
    token = PREFIX + secrets.token_urlsafe(_BYTES)
    return token, Grant(digest_of(token)[:8], name, scope, tuple(dict.fromkeys(spaces)), now)


class Tokens:
    """Who may ask a service of this database."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._guard = ForkSafeLock()
        self._lent: dict[str, Grant] = {}
        self._known: OrderedDict[str, tuple[float, Grant | None]] = OrderedDict()
        self._counted: Counter[tuple[str, str]] = Counter()  # since the last flush
        self._sums: Counter[tuple[str, str]] = Counter()  # of all processes, as last seen

    def add(
        self,
        name: str,
        scope: Scope = "write",
        spaces: Sequence[str] = ("default",),
        *,
        expires_at: datetime | None = None,
        rate: int | None = None,
        quota: int | None = None,
    ) -> tuple[str, Grant]:
        """Make a token, shown only here. ``rate`` is requests a minute, ``quota`` a day."""
        token, grant = make_token(self._clock.now(), name, scope, spaces)
        for bound, what in ((rate, "rate"), (quota, "quota")):
            if bound is not None:
                checks.check_count(bound, what, _MOST)
        grant = replace(grant, rate=rate, quota=quota, expires_at=expires_at)
        with self._store.write_queue() as conn:
            SqlTokens(conn).add(grant, digest_of(token))
        return token, grant

    def lend(self, token: str, grant: Grant) -> None:
        """Know a token in this process alone."""
        self._lent[digest_of(token)] = grant

    def admit_subject(self, key: str, name: str, scope: Scope, spaces: Sequence[str]) -> Grant:
        """The grant of an issuer's subject, under a hash of ``key``, which lets nobody in."""
        digest = hashlib.blake2b(key.encode(), digest_size=32).hexdigest()
        grant = self._find(digest)
        if grant is None or (grant.scope, grant.spaces) != (scope, tuple(spaces)):
            fresh = Grant(digest[:8], name[:_MOST_NAME], scope, tuple(spaces), self._clock.now())
            with self._store.write_queue() as conn:
                SqlTokens(conn).add(fresh, digest)
                grant = SqlTokens(conn).find(digest)
            self._known.pop(digest, None)
        return self._require(grant)

    def all(self) -> list[Grant]:
        """Every token, also those that hold no longer."""
        with self._store.read_queue() as conn:
            return SqlTokens(conn).all()

    def trail(self, limit: int = 100) -> list[AccessEntry]:
        """Spaces that were forgotten, and by which token, the latest first."""
        with self._store.read_queue() as conn:
            return SqlTokens(conn).trail(None, limit)

    def revoke(self, id_: str) -> Grant:
        """Take a token back; every service refuses it within a second."""
        with self._store.write_queue() as conn:
            grant = SqlTokens(conn).revoke(id_, self._clock.now())
        if grant is None:
            raise NotFound(f"There is no token {id_}", remedy="See mnemic token list")
        with self._guard:
            self._known.clear()
        return grant

    def peek(self, token: str) -> Grant | None:
        """What is remembered of a token and still believed; asks nobody."""
        until, grant = self._known.get(digest_of(token), (0.0, None))
        fresh = until > time.monotonic() and grant is not None and grant.holds(self._clock.now())
        return grant if fresh else None

    def find(self, token: str) -> Grant:
        """The grant of a token that holds."""
        return self._require(self._find(digest_of(token)))

    def _find(self, digest: str, *, login: bool = False) -> Grant | None:
        until, grant = self._known.get(digest, (0.0, None))
        if until > time.monotonic() or (grant := self._lent.get(digest)) is not None:
            return grant
        with self._store.read_queue() as conn:
            tokens = SqlTokens(conn)
            if login:
                token = tokens.find_login(digest, self._clock.now())
                lent = (loan for loan in self._lent.values() if loan.id == token)
                grant = next(lent, None) or tokens.by_id(token)
            else:
                grant = tokens.find(digest)
            if grant is not None and (grant.rate or grant.quota):
                for period in periods_of(self._clock.now()):
                    uses = tokens.uses(grant.id, period)
                    self._sums[grant.id, period] = max(uses, self._sums[grant.id, period])
        if grant is not None:
            with self._guard:
                self._known[digest] = time.monotonic() + FRESH, grant
                while len(self._known) > _MOST_KNOWN:
                    self._known.popitem(last=False)
        return grant

    def _require(self, grant: Grant | None) -> Grant:
        if grant is None or not grant.holds(self._clock.now()):
            raise Unauthorized(
                "The token is missing, wrong, expired or revoked",
                remedy="Send Authorization: Bearer TOKEN, one of mnemic token add",
            )
        return grant

    # --- pages ------------------------------------------------------------------------------------

    def log_in(self, token: str) -> tuple[str, Grant]:
        """Begin a login of a page with a token; gives the key for its cookie."""
        grant, key = self.find(token), secrets.token_urlsafe(_BYTES)
        with self._store.write_queue() as conn:
            SqlTokens(conn).log_in(digest_of(key), grant.id, self._clock.now() + _LOGIN)
        return key, grant

    def find_login(self, key: str) -> Grant:
        """The grant of a page that was logged in."""
        return self._require(self._find(digest_of(key), login=True))

    def log_out(self, key: str) -> None:
        with self._store.write_queue() as conn:
            SqlTokens(conn).log_out(digest_of(key))
        with self._guard:
            self._known.pop(digest_of(key), None)

    # --- how much each may ask ------------------------------------------------------------------

    def count(self, grant: Grant) -> None:
        """Count a request; refuse it where the token has asked as much as it may."""
        now = self._clock.now().astimezone(UTC)
        day, minute = periods_of(now)
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        bounds = (
            (grant.rate, minute, "minute", timedelta(seconds=60 - now.second)),
            (grant.quota, day, "day", midnight - now),
        )
        with self._guard:
            for most, period, name, wait in bounds:
                key = (grant.id, period)
                if most is not None and self._sums[key] + self._counted[key] >= most:
                    raise RateLimited(
                        f"This token may send {most:,} requests a {name}",
                        remedy=f"Wait {max(1, round(wait.total_seconds()))} s",
                        retry_after=wait,
                    )
            for period in (day, minute) if grant.rate is not None else (day,):
                self._counted[grant.id, period] += 1

    def flush(self) -> None:
        """Add what was counted to the sums of all processes, and take those over."""
        with self._guard:
            counted, self._counted = self._counted, Counter()
        if not counted:
            return
        now = self._clock.now()
        try:
            with self._store.write_queue() as conn:
                tokens, sums = SqlTokens(conn), Counter[tuple[str, str]]()
                for token in sorted({token for token, _ in counted}):
                    periods = {p: n for (t, p), n in sorted(counted.items()) if t == token}
                    for period, amount in tokens.use(token, now, periods).items():
                        sums[token, period] = amount
        except StoreBusy:
            with self._guard:
                self._counted.update(counted)  # the next one has them
            return
        with self._guard:
            current = set(periods_of(now))
            self._sums = Counter({k: n for k, n in self._sums.items() if k[1] in current}) | sums
