"""Trust levels: the one each role has by default, and the lowest of several."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.types import TRUSTS, Role, Trust

_TRUST: dict[Role, Trust] = {
    "user": "owner",
    "assistant": "agent",
    "tool": "tool",
    "system": "agent",
}


def trust_of(role: Role) -> Trust:
    """The owner speaks as user; the agent and its host as assistant and system."""
    return _TRUST[role]


def least_trusted(trusts: Iterable[Trust]) -> Trust:
    """The lowest of these trust levels; "owner" for none."""
    return max(trusts, key=TRUSTS.index, default="owner")
