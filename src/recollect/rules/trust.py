"""Who said it: the trust that each role's words carry unless told otherwise."""

from __future__ import annotations

from recollect.types import Role, Trust

_TRUST: dict[Role, Trust] = {
    "user": "owner",
    "assistant": "agent",
    "tool": "tool",
    "system": "agent",
}


def trust_of(role: Role) -> Trust:
    """The owner speaks as user; the agent and its host as assistant and system."""
    return _TRUST[role]
