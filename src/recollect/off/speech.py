"""Whose words they are in the plain logs, which are only ever added to.

A log keeps the trust a turn had when it was recorded; that a second person speaks as the user is
seen when it is read, and when it is taken into the database.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from recollect.rules.speakers import FOREIGN, Speech, voice_of, with_claim
from recollect.types import Turn


def claim_of(turn: Turn, owners: frozenset[int]) -> int | None:
    """What the trust of a logged turn rests on (rules/speakers.py)."""
    claim = voice_of(turn.role, turn.sender, None, owners).claim
    return claim if turn.trust == "owner" or claim == FOREIGN else None


def shared_sessions(turns: Iterable[Turn], owners: frozenset[int]) -> frozenset[str]:
    """The sessions in which somebody else than the owner speaks as the user."""
    found: dict[str, Speech] = {}
    for turn in turns:
        claim = claim_of(turn, owners)
        if claim is not None:
            found[turn.session] = with_claim(found.get(turn.session, Speech()), claim)
    return frozenset(session for session, speech in found.items() if speech.shared)


def as_trusted(turn: Turn, shared: frozenset[str], owners: frozenset[int]) -> Turn:
    """A turn with the trust it has in its session."""
    if turn.session not in shared or turn.trust != "owner" or claim_of(turn, owners) is None:
        return turn
    return replace(turn, trust="external")
