"""add_memory, and the pending statements that wait for the user."""

from __future__ import annotations

from collections.abc import Callable

from mnemic.context.parts import first_source
from mnemic.errors import Conflict, NotFound
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
from mnemic.tools.words import Bilingual
from mnemic.types import Candidate, Decision, DecisionOutcome, Memory

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
    "Ask the user, then call confirm_memory, ignore_memory or later_memory.",
    "请先问用户，再调用 confirm_memory、ignore_memory 或 later_memory。",
)
_HOW_BY_USER = Bilingual(
    "Tell the user, who answers with `mnemic pending`; later_memory puts it off.",
    "请告诉用户，由用户用 `mnemic pending` 回答；later_memory 可推迟。",
)
_ASK = Bilingual(
    "Ask the user about these at the end of your reply. Answer each with confirm_memory,"
    " ignore_memory or later_memory only as the user says.",
    "请在回复末尾向用户询问以下内容，并只按用户的回答调用"
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
    return _answered(context, chosen.id, lambda: _settled(context, context.mind.confirm(chosen.id)))


def ignore_memory(context: ToolContext, chosen: PendingMemory) -> ToolAnswer:
    """The user does not want it kept."""

    def ignore() -> ToolAnswer:
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
