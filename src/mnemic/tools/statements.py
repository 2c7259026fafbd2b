"""add_memory, and the pending statements that wait for the user.

A model passes on what the user answered: it counts only where a turn of the user's is recorded that
answers it.
"""

from __future__ import annotations

from collections.abc import Callable

from mnemic.context.parts import first_source
from mnemic.errors import Conflict, InvalidInput, NotFound
from mnemic.language.answers import Answer, read_confirmation, squeezed
from mnemic.language.fence import neutral
from mnemic.plain import plain
from mnemic.rules.checks import MAX_ROWS
from mnemic.tools.answers import (
    EvidenceLine,
    EvidencePage,
    ToolAnswer,
    cut,
    evidence,
    line,
)
from mnemic.tools.arguments import AddMemory, ListPending, PendingMemory
from mnemic.tools.tool_context import ITEM_CHARS, ToolContext
from mnemic.tools.turn_record import RECORDED_BY
from mnemic.tools.words import Bilingual
from mnemic.types import Candidate, Decision, DecisionOutcome, Memory, Turn

_ASKED_WITHIN = 200  # turns, the latest, among which the user's answer is looked for
_SETTLED: dict[DecisionOutcome, Bilingual] = {
    "new": Bilingual("Kept as {id}.", "已记住，id 为 {id}。"),
    "same": Bilingual("Known already as {id}.", "已经记得，id 为 {id}。"),
    "update": Bilingual(
        "Kept as {id}; it replaces {replaced}.", "已记住，id 为 {id}，取代 {replaced}。"
    ),
    "conflict": Bilingual(
        "It contradicts what is known; {id} holds now.", "与已知内容冲突，现以 {id} 为准。"
    ),
    "pending": Bilingual(
        "Not in force yet: it waits as {id} for the user's word ({reason}). {how}",
        "尚未生效：{id} 等待用户确认（{reason}）。{how}",
    ),
    "dropped": Bilingual("Not kept: {reason}.", "未保留：{reason}。"),
    "refused": Bilingual("Not kept: {reason}.", "未保留：{reason}。"),
    "withdrawn": Bilingual("It no longer holds: {replaced}.", "不再成立：{replaced}。"),
}
_HOW = Bilingual(
    "Ask the user, in these words; once they have answered, call confirm_memory, ignore_memory or"
    " later_memory.",
    "请用这些原话问用户；用户回答之后，再调用 confirm_memory、ignore_memory 或 later_memory。",
)
_HOW_BY_USER = Bilingual(
    "Tell the user, who answers with `mnemic pending`; later_memory puts it off.",
    "请告诉用户，由用户用 `mnemic pending` 回答；later_memory 可推迟。",
)
_ASK = Bilingual(
    "Ask the user about these at the end of your reply, word for word. Once they have answered,"
    " call confirm_memory, ignore_memory or later_memory as they said.",
    "请在回复末尾原样向用户询问以下内容；用户回答之后，按回答调用"
    " confirm_memory、ignore_memory 或 later_memory。",
)
_ASK_BY_USER = Bilingual(
    "Tell the user about these at the end of your reply; they answer with `mnemic pending`."
    " later_memory puts one off.",
    "请在回复末尾把以下内容告诉用户，由用户用 `mnemic pending` 回答；later_memory 可推迟。",
)
_OTHERS_WAIT = Bilingual(
    "{waiting} wait in all; list_pending with all lists them.",
    "共有 {waiting} 条等待；list_pending 加 all 可全部列出。",
)
_NOTHING_WAITS = Bilingual("Nothing waits for the user's word.", "没有等待用户确认的内容。")
_IGNORED = Bilingual("{id} is not kept and will not be offered again.", "{id} 不保留，也不再询问。")
_LATER = Bilingual("{id} is put off until {until}.", "{id} 推迟到 {until} 以后再问。")
_UNKNOWN = Bilingual("No memory has the id {id}", "没有 id 为 {id} 的记忆")
_NOT_WAITING = Bilingual("{id} does not wait for an answer any more", "{id} 已不在等待回答")
_UNANSWERED = Bilingual(
    "No recorded turn of the user answers it: {text}", "没有用户的发言回答过它：{text}"
)
_ASK_FIRST = Bilingual(
    "Ask the user in these words and call again once their plain yes or no is recorded; or they"
    " answer with `mnemic pending`, in the Inspector or in the host",
    "请用这些原话问用户，等用户明确回答并记录之后再调用；用户也可以用 `mnemic pending`、"
    "在 Inspector 或宿主中回答",
)
_LIST = Bilingual("Call list_pending for the ids that wait", "请用 list_pending 查看等待中的 id")


def add_memory(context: ToolContext, new: AddMemory) -> ToolAnswer:
    """A statement of the model, with trust "agent", reconciled with existing memories."""
    settled = context.mind.propose(
        Candidate(
            kind=new.kind,
            content=new.content,
            subject=new.subject,
            predicate=new.predicate,
            value=new.value,
            importance=new.importance,
            project=new.project,
            tags=new.tags,
            is_update=new.updates,
            trust="agent",
            duration=new.duration,
            metadata={"scope": new.scope} if new.scope else {},
        )
    )
    return _settled(context, settled)


def list_pending(context: ToolContext, request: ListPending) -> ToolAnswer:
    """A few pending statements for the user, each offer counted; or all, which counts nothing."""
    waiting = len(context.mind.pending(limit=MAX_ROWS))
    if request.all:
        limit = context.limited(request.limit)
        listed = context.mind.pending(limit=limit, offset=request.offset)
        more = request.offset + len(listed) < waiting
        page = EvidencePage([_pending_line(context, one) for one in listed], request.offset, more)
        note = ""
    else:
        offered = context.mind.pending(offer=True, limit=request.limit)
        page = EvidencePage([_pending_line(context, memory) for memory in offered])
        ask = _ASK if context.settings.answer_pending else _ASK_BY_USER
        note = ask.of(context.language) if offered else ""
        if waiting > len(offered):
            rest = _OTHERS_WAIT.of(context.language, waiting=waiting)
            note = f"{note} {rest}".strip()
    answer = evidence(
        page,
        "list_pending",
        language=context.language,
        max_chars=context.settings.answer_chars,
        note=note,
        nothing="" if waiting else _NOTHING_WAITS.of(context.language),
    )
    return ToolAnswer(answer.text, {**answer.data, "waiting": waiting})


def confirm_memory(context: ToolContext, chosen: PendingMemory) -> ToolAnswer:
    """The user says it is true."""

    def confirm() -> ToolAnswer:
        _check_answered(context, chosen.id, "confirm")
        return _settled(context, context.mind.confirm(chosen.id))

    return _answered(context, chosen.id, confirm)


def ignore_memory(context: ToolContext, chosen: PendingMemory) -> ToolAnswer:
    """The user does not want it kept."""

    def ignore() -> ToolAnswer:
        _check_answered(context, chosen.id, "ignore")
        memory = context.mind.ignore(chosen.id)
        return ToolAnswer(_IGNORED.of(context.language, id=memory.id), _facts(context, memory))

    return _answered(context, chosen.id, ignore)


def later_memory(context: ToolContext, chosen: PendingMemory) -> ToolAnswer:
    """The user will answer another time."""

    def put_off() -> ToolAnswer:
        memory = context.mind.snooze(chosen.id)
        until = plain(memory.snoozed_until)
        text = _LATER.of(context.language, id=memory.id, until=str(until)[:16].replace("T", " "))
        return ToolAnswer(text, {**_facts(context, memory), "until": until})

    return _answered(context, chosen.id, put_off)


def _answered(context: ToolContext, id_: str, answer: Callable[[], ToolAnswer]) -> ToolAnswer:
    """The answer, or an error about the id that names the tools to use."""
    id_text = neutral(cut(id_, 60))
    try:
        return answer()
    except NotFound as error:
        raise NotFound(
            _UNKNOWN.of(context.language, id=id_text), remedy=_LIST.of(context.language)
        ) from error
    except Conflict as error:
        raise Conflict(
            _NOT_WAITING.of(context.language, id=id_text), remedy=_LIST.of(context.language)
        ) from error


def _check_answered(context: ToolContext, id_: str, answer: Answer) -> None:
    """Refuse what the user has not said: a model does not answer for them."""
    memory = context.mind.get(id_)
    if memory.status == "pending" and _user_answer(context, memory) != answer:
        raise InvalidInput(
            _UNANSWERED.of(context.language, text=neutral(cut(memory.content, ITEM_CHARS))),
            remedy=_ASK_FIRST.of(context.language),
        )


def _user_answer(context: ToolContext, memory: Memory) -> Answer | None:
    """The owner's latest answer to the question about a pending memory: a turn of theirs right
    after a reply that had its words, and both recorded by the host since it waits.
    """
    # In whichever session: a server of tools does not know the one that the host records.
    turns = context.mind.turns(newest_first=True, limit=_ASKED_WITHIN)
    question = squeezed(memory.content)
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
        answer = read_confirmation(reply.content) if question in squeezed(turn.content) else None
        if answer is not None:
            return answer
    return None


def _settled(context: ToolContext, settled: Decision) -> ToolAnswer:
    memory = settled.memory
    text = _SETTLED[settled.outcome].of(
        context.language,
        id="" if memory is None else memory.id,
        replaced=", ".join(settled.replaced),
        reason=settled.reason,
        how=(_HOW if context.settings.answer_pending else _HOW_BY_USER).of(context.language),
    )
    data = {"decision": settled.outcome, "reason": settled.reason}
    if memory is not None:
        data |= _facts(context, memory)
    return ToolAnswer(text, {**data, "replaced": list(settled.replaced)})


def _facts(context: ToolContext, memory: Memory) -> dict[str, str]:
    return {
        **context.mind.words(memory),
        "id": memory.id,
        "content": memory.content,
        "kind": memory.kind,
        "status": memory.status,
        "trust": memory.trust,
    }


def _pending_line(context: ToolContext, memory: Memory) -> EvidenceLine:
    kind = context.kind_of(memory)
    day = context.day_of(memory.valid_from)
    facts = (day, kind, memory.trust, first_source(memory.sources))
    text = cut(memory.content, ITEM_CHARS)
    return EvidenceLine(line(memory.id, facts, text), {**_facts(context, memory), "content": text})
