"""record_turns and add_memory, and the pending statements that wait for the user.

A host that records by itself does not need record_turns. What the model says the user said counts
as the model's word: a model that could speak as the user could confirm whatever it likes. Nor does
it answer for the user: what it passes on counts only where a turn of the user's is recorded that
answers it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from mnemic.context.parts import first_source
from mnemic.errors import Conflict, InvalidInput, NotFound
from mnemic.language.answers import Answer, read_confirmation, squeeze
from mnemic.language.fence import neutral
from mnemic.plain import plain
from mnemic.rules.checks import MAX_ROWS
from mnemic.tools.answers import ITEM_CHARS, EvidenceLine, ToolAnswer, ToolContext, cut, line
from mnemic.tools.parameters import Kind, Priority, Scope
from mnemic.types import Candidate, Decision, Memory, NewTurn, Turn

_ASKED_WITHIN = 200  # turns, the latest, among which the user's answer is looked for


def add_memory(
    context: ToolContext,
    *,
    text: str,
    kind: Kind = "fact",
    scope: Scope = "",
    duration: Priority = "",
    subject: str = "",
    predicate: str = "",
    value: str = "",
    importance: float | None = None,
    project: str = "",
    tags: tuple[str, ...] = (),
    updates: bool = False,
) -> ToolAnswer:
    """A statement of the model, with trust "agent", reconciled with existing memories."""
    candidate = Candidate(
        kind=kind,
        text=text,
        subject=subject,
        predicate=predicate,
        value=value,
        importance=importance,
        project=project,
        tags=tags,
        is_update=updates,
        trust="agent",
        duration=duration,
        metadata={"scope": scope} if scope else {},
    )
    return _report(context, context.mind.propose(candidate))


def list_pending(
    context: ToolContext, *, all: bool = False, limit: int | None = None, offset: int = 0
) -> ToolAnswer:
    """A few pending statements for the user, each offer counted; or all, which counts nothing."""
    waiting = len(context.mind.pending(limit=MAX_ROWS))
    if all:
        listed = context.mind.pending(limit=context.limit_results(limit), offset=offset)
        note, first = "", offset
    else:
        listed, first = context.mind.pending(offer=True, limit=limit), None
        note = context.text(f"statements.ask{_by_user(context)}") if listed else ""
        if waiting > len(listed):
            note = f"{note} {context.text('statements.others_wait', waiting=waiting)}".strip()
    nothing = "" if waiting else context.text("statements.nothing_waits")
    return context.show(
        [_pending_line(context, memory) for memory in listed],
        "list_pending",
        nothing=nothing,
        note=note,
        offset=first,
        more=offset + len(listed) < waiting,
        waiting=waiting,
    )


def confirm_memory(context: ToolContext, *, id: str) -> ToolAnswer:
    """The user says it is true."""
    with _naming_tools(context, id):
        _check_answered(context, id, "confirm")
        return _report(context, context.mind.confirm(id))


def ignore_memory(context: ToolContext, *, id: str) -> ToolAnswer:
    """The user does not want it kept."""
    with _naming_tools(context, id):
        _check_answered(context, id, "ignore")
        memory = context.mind.ignore(id)
    return ToolAnswer(context.text("statements.ignored", id=memory.id), _facts(context, memory))


def later_memory(context: ToolContext, *, id: str) -> ToolAnswer:
    """The user will answer another time."""
    with _naming_tools(context, id):
        memory = context.mind.snooze(id)
    until = plain(memory.snoozed_until)
    text = context.text("statements.later", id=memory.id, until=str(until)[:16].replace("T", " "))
    return ToolAnswer(text, {**_facts(context, memory), "until": until})


@contextmanager
def _naming_tools(context: ToolContext, id_: str) -> Iterator[None]:
    """An error about the id names the tools to use."""
    try:
        yield
    except (NotFound, Conflict) as error:
        key = "memory.unknown" if isinstance(error, NotFound) else "statements.not_waiting"
        raise type(error)(
            context.text(key, id=neutral(cut(id_, 60))), remedy=context.text("statements.list")
        ) from error


def _check_answered(context: ToolContext, id_: str, answer: Answer) -> None:
    """Refuse what the user has not said: a model does not answer for them."""
    memory = context.mind.get(id_)
    if memory.status == "pending" and _user_answer(context, memory) != answer:
        raise InvalidInput(
            context.text("statements.unanswered", text=neutral(cut(memory.text, ITEM_CHARS))),
            remedy=context.text("statements.ask_first"),
        )


def _user_answer(context: ToolContext, memory: Memory) -> Answer | None:
    """The owner's latest recorded answer, right after a reply that had the memory's words."""
    # In whichever session: a server of tools does not know the one that the host records.
    turns = context.mind.turns(newest_first=True, limit=_ASKED_WITHIN)
    question = squeeze(memory.text)
    replies: dict[str, Turn] = {}  # by session, the user's turn that follows in it
    for turn in turns:
        if turn.id < memory.id or turn.role not in ("user", "assistant"):
            continue
        if turn.role == "user":
            replies[turn.session] = turn
            continue
        reply = replies.pop(turn.session, None)
        if reply is None or reply.trust != "owner" or RECORDED_BY in turn.metadata:
            continue
        answer = read_confirmation(reply.text) if question in squeeze(turn.text) else None
        if answer is not None:
            return answer
    return None


def _report(context: ToolContext, decision: Decision) -> ToolAnswer:
    memory = decision.memory
    text = context.text(
        f"statements.settled.{decision.outcome}",
        id="" if memory is None else memory.id,
        replaced=", ".join(decision.replaced),
        reason=decision.reason,
        how=context.text(f"statements.how{_by_user(context)}"),
    )
    data = {"decision": decision.outcome, "reason": decision.reason}
    if memory is not None:
        data |= _facts(context, memory)
    return ToolAnswer(text, {**data, "replaced": list(decision.replaced)})


def _by_user(context: ToolContext) -> str:
    """The end of a key, where only the user may answer."""
    return "" if context.settings.answer_pending else "_by_user"


def _facts(context: ToolContext, memory: Memory) -> dict[str, str]:
    return {
        **context.mind.words(memory),
        "id": memory.id,
        "text": memory.text,
        "kind": memory.kind,
        "status": memory.status,
        "trust": memory.trust,
    }


def _pending_line(context: ToolContext, memory: Memory) -> EvidenceLine:
    kind, day = context.kind_of(memory), context.day_of(memory.valid_from)
    facts = (day, kind, memory.trust, first_source(memory.sources))
    text = cut(memory.text, ITEM_CHARS)
    return EvidenceLine(line(memory.id, facts, text), {**_facts(context, memory), "text": text})


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
