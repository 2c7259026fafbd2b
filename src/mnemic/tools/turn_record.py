"""record_turns: a conversation as a host's model passes it on.

A host that records by itself does not need it. What the model says the user said counts as the
model's word: a model that could speak as the user could confirm whatever it likes.
"""

from __future__ import annotations

from mnemic.tools.answers import ToolAnswer
from mnemic.tools.arguments import RecordTurns
from mnemic.tools.tool_context import ToolContext
from mnemic.types import NewTurn

RECORDED_BY = "recorded_by"  # in the metadata of turns that no host has heard itself


def record_turns(context: ToolContext, request: RecordTurns) -> ToolAnswer:
    """Durable and searchable when this returns; learned from in the background."""
    session = context.mind.session(request.session or context.session).id
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
        for turn in request.turns
    ]
    if request.ended:
        context.mind.end_session(session)
    return ToolAnswer(
        context.text("record.recorded", count=len(recorded), session=session),
        {"session": session, "ids": [turn.id for turn in recorded], "ended": request.ended},
    )
