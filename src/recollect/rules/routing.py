"""Where a candidate goes: written, put to the user first, or dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recollect.rules.support import Claim, untrusted
from recollect.settings.environment import TrustSettings
from recollect.settings.learning import RoutingSettings
from recollect.types import Kind

Way = Literal["write", "pending", "drop"]
# What steers the agent or describes its owner: only people put these in force.
_GUARDED: tuple[Kind, ...] = ("rule", "identity", "preference", "trait", "config", "credential")
# Of these not even a model makes one by itself: they are orders to it, or say who it serves.
STEERING: tuple[Kind, ...] = ("rule", "identity", "trait")


@dataclass(frozen=True, slots=True)
class Route:
    """A way and, unless it is written, why."""

    way: Way
    reason: str = ""


def route(
    kind: Kind,
    claim: Claim,
    routing: RoutingSettings,
    trust: TrustSettings,
    core_importance: float,
    *,
    own_idea: bool = False,
) -> Route:
    """By confidence; whatever a tool or an outsider says of weight waits for a person.

    ``own_idea``: a model asked for it to be kept. It puts neither rules nor core into force.
    """
    if claim.confidence < routing.pending:
        return Route("drop", f"confidence {claim.confidence:.2f} is below {routing.pending:.2f}")
    if claim.trust in trust.quarantine:
        return Route("pending", f"what comes from {claim.trust} sources is in quarantine")
    if untrusted(claim.trust) and kind in _GUARDED:
        return Route("pending", f"a {kind} from a source of trust {claim.trust}")
    if untrusted(claim.trust) and claim.importance >= core_importance:
        return Route("pending", f"important, from a source of trust {claim.trust}")
    if claim.trust == "agent" and kind in STEERING:
        return Route(
            "pending", f"a {kind} that {'a model added' if own_idea else 'the agent said'}"
        )
    if own_idea and claim.trust == "agent" and claim.importance >= core_importance:
        return Route("pending", "important, and added by a model")
    if claim.confidence < routing.write:
        return Route("pending", f"confidence {claim.confidence:.2f} is below {routing.write:.2f}")
    return Route("write")
