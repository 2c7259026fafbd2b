"""Where a candidate goes: written, put to the user first, or dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recollect.rules.support import Claim, untrusted
from recollect.settings.around import Trust as TrustSettings
from recollect.settings.writing import Routing
from recollect.types import Kind

Way = Literal["write", "pending", "drop"]
# What steers the agent or describes its owner: only people put these in force.
_GUARDED: tuple[Kind, ...] = ("rule", "identity", "preference", "trait", "config", "credential")


@dataclass(frozen=True, slots=True)
class Route:
    """A way and, unless it is written, why."""

    way: Way
    reason: str = ""


def route(
    kind: Kind, claim: Claim, routing: Routing, trust: TrustSettings, core_importance: float
) -> Route:
    """By confidence; whatever a tool or an outsider says of weight waits for a person."""
    if claim.confidence < routing.pending:
        return Route("drop", f"confidence {claim.confidence:.2f} is below {routing.pending:.2f}")
    if claim.trust in trust.quarantine:
        return Route("pending", f"what comes from {claim.trust} sources is in quarantine")
    if untrusted(claim.trust) and kind in _GUARDED:
        return Route("pending", f"a {kind} from a source of trust {claim.trust}")
    if untrusted(claim.trust) and claim.importance >= core_importance:
        return Route("pending", f"important, from a source of trust {claim.trust}")
    if claim.confidence < routing.write:
        return Route("pending", f"confidence {claim.confidence:.2f} is below {routing.write:.2f}")
    return Route("write")
