"""Whether a candidate may be written, has to be put to the user first, or is dropped."""

from __future__ import annotations

from recollect.rules.support import Claim, untrusted
from recollect.settings import Settings
from recollect.types import Decision, Kind

# What steers the agent or describes its owner: only people put these in force.
_GUARDED: tuple[Kind, ...] = ("rule", "identity", "preference", "trait", "config", "credential")
# Of these not even a model makes one by itself: they are orders to it, or say who it serves.
STEERING: tuple[Kind, ...] = ("rule", "identity", "trait")


def route(kind: Kind, claim: Claim, settings: Settings, *, own_idea: bool = False) -> Decision:
    """By confidence: "new" may be written, "pending" and "dropped" have a reason. Whatever a tool
    or an outsider says of weight waits for a person.

    ``own_idea``: a model asked for it to be kept. It puts neither rules nor core into force.
    """
    least, core = settings.routing, settings.upkeep.core_importance
    if claim.confidence < least.pending:
        return Decision("dropped", reason=_below(claim.confidence, least.pending))
    if claim.trust in settings.trust.quarantine:
        return _wait(f"what comes from {claim.trust} sources is in quarantine")
    if untrusted(claim.trust) and kind in _GUARDED:
        return _wait(f"a {kind} from a source of trust {claim.trust}")
    if untrusted(claim.trust) and claim.importance >= core:
        return _wait(f"important, from a source of trust {claim.trust}")
    if claim.trust == "agent" and kind in STEERING:
        return _wait(f"a {kind} that {'a model added' if own_idea else 'the agent said'}")
    if own_idea and claim.trust == "agent" and claim.importance >= core:
        return _wait("important, and added by a model")
    if claim.confidence < least.write:
        return _wait(_below(claim.confidence, least.write))
    return Decision("new")


def _wait(reason: str) -> Decision:
    return Decision("pending", reason=reason)


def _below(confidence: float, least: float) -> str:
    return f"confidence {confidence:.2f} is below {least:.2f}"
