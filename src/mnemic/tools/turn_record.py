"""record_turns: a conversation as a host's model passes it on.

A host that records by itself does not need it. What the model says the user said counts as the
model's word: a model that could speak as the user could confirm whatever it likes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mnemic.tools.answers import ToolAnswer
from mnemic.tools.tool_context import ToolContext
from mnemic.types import NewTurn

RECORDED_BY = "recorded_by"  # in the metadata of turns that no host has heard itself


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTurn:
    """One turn of a conversation."""

    role: Literal["user", "assistant", "tool"]
    text: str
    sender: str = ""


def record_turns(
    context: ToolContext, *, turns: tuple[SpokenTurn, ...], session: str = "", ended: bool = False
) -> ToolAnswer:
    """Durable and searchable when this returns; learned from in the background."""
    session = context.mind.session(session or context.session).id
    recorded = [
        context.mind.record_turn(
            NewTurn(
                session,
                turn.role,
                turn.text,
                sender=turn.sender,
                trust="agent" if turn.role == "user" else None,
                metadata={RECORDED_BY: "model"},
            )
        )
        for turn in turns
    ]
    if ended:
        context.mind.end_session(session)
    return ToolAnswer(
        context.text("record.recorded", count=len(recorded), session=session),
        {"session": session, "ids": [turn.id for turn in recorded], "ended": ended},
    )
