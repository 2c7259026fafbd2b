"""What the tests of extraction share: the settings, and a candidate in one line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from mnemic.language.extract import EarlierMessage, extract
from mnemic.settings import load
from mnemic.types import Candidate, Role

SETTINGS = load("default", env={})
NOON = datetime(2026, 2, 11, 12, 0, tzinfo=UTC)  # a Wednesday


def learn(text: str, *earlier: str, role: Role = "user") -> tuple[Candidate, ...]:
    """What is learned from a message after others of the same person."""
    return learn_after(text, [EarlierMessage("user", one) for one in earlier], role=role)


def learn_after(
    text: str, earlier: Sequence[EarlierMessage], *, role: Role = "user"
) -> tuple[Candidate, ...]:
    return extract(
        text,
        said_at=NOON,
        role=role,
        earlier=earlier,
        source="turn-1",
    )


def short(found: Candidate) -> str:
    """subject/predicate=value, after "-" for a withdrawal and "+" for an update."""
    mark = "-" if found.withdraws else "+" if found.is_update else ""
    return f"{mark}{found.subject}/{found.predicate}={found.value}"
