"""Who speaks: the owner of a memory is a person, not a role.

A conversation with one person in the role of the user, named or not, is the owner's. Where several
speak, only those whom the settings or the host name as the owner are; every other user turn of that
conversation, and one that names nobody, is of trust "external".
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from mnemic.types import TRUSTS, Role, Trust

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


UNNAMED = 0
FOREIGN = -1  # the claim of a person who is known not to be the owner
UNREAD = -1  # the speaker of a session that was recorded before speakers were


class Speech(NamedTuple):
    """Who speaks as the user of a session: the one named person, and whether there are more."""

    speaker: int = UNNAMED
    shared: bool = False


class Voice(NamedTuple):
    """The trust of one turn, and the claim it rests on.

    None: the trust is settled. Otherwise the turn is the owner's as long as nobody else speaks as
    the user of its session; the claim is the mark of its sender, ``UNNAMED`` or ``FOREIGN``.
    """

    trust: Trust
    claim: int | None


_NOBODY_NAMED = Voice("owner", UNNAMED)
_USUAL: dict[Trust, Voice] = {trust: Voice(trust, None) for trust in TRUSTS}


@lru_cache(maxsize=4096)
def speaker_mark(sender: str) -> int:
    """A number for a person: the same whatever the case, width and spaces of the name."""
    name = " ".join(unicodedata.normalize("NFKC", sender).casefold().split())
    if not name:
        return UNNAMED
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=7).digest()
    return int.from_bytes(digest, "big") + 1


def speaker_marks(senders: Iterable[str]) -> frozenset[int]:
    """The numbers of several persons."""
    return frozenset(map(speaker_mark, senders)) - {UNNAMED}


def voice_of(role: Role, sender: str, stated: Trust | None, owners: frozenset[int]) -> Voice:
    """Whose words a turn is before its session is looked at.

    ``stated`` is the host's word: it decides for a user turn, and may only lower the trust of any
    other role.
    """
    if role != "user":
        usual = trust_of(role)
        return _USUAL[usual] if stated is None else Voice(least_trusted((usual, stated)), None)
    if stated is not None:
        return Voice(stated, None)
    if not sender:
        return _NOBODY_NAMED
    mark = speaker_mark(sender)
    if not owners or mark == UNNAMED:
        return Voice("owner", mark)
    return Voice("owner", None) if mark in owners else Voice("external", FOREIGN)


def with_claim(speech: Speech, claim: int) -> Speech:
    """What a session is after a turn with this claim."""
    if claim == UNNAMED:
        return speech
    if claim == FOREIGN:
        return Speech(speech.speaker, shared=True)
    if speech.speaker == UNNAMED:
        return Speech(claim, speech.shared)
    return speech if speech.speaker == claim else Speech(speech.speaker, shared=True)


def lower_trust(stated: Trust | None) -> Trust | None:
    """The trust that a file states for a turn: it may lower the usual one, never raise it."""
    return None if stated == "owner" else stated
