"""Who may ask a service, and what was done with which token."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from mnemic.late import dataclass
from mnemic.types.safe import SafeName

Scope = Literal["read", "write", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)  # each holds the ones before it
EVERY_SPACE = "*"


@dataclass(frozen=True, slots=True)
class Grant:
    """What the holder of one token may do: ``scope`` holds the scopes before it, ``spaces`` are
    names, or ``*`` for every one. ``rate`` is requests a minute, ``quota`` requests a day.
    """

    id: str
    name: str
    scope: Scope
    spaces: tuple[str, ...]
    created_at: datetime
    rate: int | None = None
    quota: int | None = None
    expires_at: datetime | None = None
    used_at: datetime | None = None
    revoked_at: datetime | None = None

    def allows(self, scope: Scope, space: str) -> bool:
        """Whether it covers that scope in that space."""
        return self.covers(space) and SCOPES.index(scope) <= SCOPES.index(self.scope)

    def covers(self, space: str) -> bool:
        """Whether it may see anything of that space."""
        return self.everywhere or space in self.spaces

    @property
    def everywhere(self) -> bool:
        return EVERY_SPACE in self.spaces

    def holds(self, now: datetime) -> bool:
        """Whether it was not revoked and has not expired."""
        expired = self.expires_at is not None and self.expires_at <= now
        return self.revoked_at is None and not expired


@dataclass(frozen=True, slots=True)
class AccessEntry:
    """One thing that was done with a token; ``status`` is that of the answer, 0 while it is being
    done or where its process died. ``subject`` is the id that was asked about.
    """

    id: SafeName
    at: datetime
    token: SafeName
    operation: SafeName
    status: int
    subject: SafeName
