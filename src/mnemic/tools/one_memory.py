"""list_memories, and one memory at a time: get, edit, archive, restore, delete.

A model changes what models and tools said. What the owner said is the owner's to change, unless
`tools.answer_pending` lets the model do it for them; what it then says is the model's own word.
"""

from __future__ import annotations

from mnemic.context.parts import first_source
from mnemic.errors import Conflict, InvalidInput, NotFound
from mnemic.language.fence import neutral
from mnemic.language.guard import guard_of
from mnemic.plain import plain
from mnemic.rules.reconcile import route
from mnemic.rules.speakers import least_trusted
from mnemic.rules.support import MAX_CONFIDENCE, Claim
from mnemic.tools.answers import (
    EvidenceLine,
    EvidencePage,
    ToolAnswer,
    cut,
    evidence,
    line,
)
from mnemic.tools.arguments import EditMemory, ListMemories, OneMemory
from mnemic.tools.tool_context import ITEM_CHARS, ToolContext
from mnemic.tools.words import Bilingual
from mnemic.types import Memory, MemoryChanges

_NONE = Bilingual("No memory matches.", "没有符合条件的记忆。")
_UNKNOWN = Bilingual("No memory has the id {id}", "没有 id 为 {id} 的记忆")
_FIND = Bilingual("Take an id from search_memory or list_memories", "请用搜索或列表得到的 id")
_OWNERS = Bilingual("{id} is the user's own word", "{id} 是用户自己的话")
_WAITS = Bilingual("It needs the user's word: {reason}", "需要用户确认：{reason}")
_BY_USER = Bilingual(
    "Ask the user to do it: mnemic {command} {id}", "请用户自己操作：mnemic {command} {id}"
)
_EDITED = Bilingual("{id} is the new version.", "新版本为 {id}。")
_ARCHIVED = Bilingual("{id} is put away and can be restored.", "{id} 已收起，可以恢复。")
_RESTORED = Bilingual("{id} holds again.", "{id} 重新成立。")
_NOT_ARCHIVED = Bilingual("{id} is not archived", "{id} 没有被收起")
_LIST_ARCHIVED = Bilingual(
    "Call list_memories with status archived", "请用 list_memories 并设 status 为 archived"
)
_DELETED = Bilingual("{id} is deleted; what was said stays.", "{id} 已删除，原话保留。")
_NO_CHANGE = Bilingual("Nothing to change was given", "没有给出要改的内容")
_SAY_WHAT = Bilingual("Give content, value, importance …", "请给出 content、value、importance 等")


def list_memories(context: ToolContext, wanted: ListMemories) -> ToolAnswer:
    """Memories that hold now, by filters, a page at a time."""
    limit = context.limited(wanted.limit)
    listed = context.mind.memories(
        kind=wanted.kind,
        project=wanted.project,
        subject=wanted.subject,
        tag=wanted.tag,
        text=wanted.text,
        since=wanted.since,
        until=wanted.until,
        status=wanted.status,
        order=wanted.order,
        limit=limit + 1,
        offset=wanted.offset,
    )
    shown = [_line(context, m) if _is_open(m) else None for m in listed[:limit]]
    page = EvidencePage(shown, wanted.offset, more=len(listed) > limit)
    return _evidence(context, page, "list_memories")


def get_memory(context: ToolContext, chosen: OneMemory) -> ToolAnswer:
    """One memory, of whatever status."""
    memory = _memory(context, chosen.id)
    return _evidence(context, EvidencePage([_line(context, memory, whole=True)]), "get_memory")


def edit_memory(context: ToolContext, changed: EditMemory) -> ToolAnswer:
    """The next version of a memory, in the agent's words."""
    memory = _changeable(context, changed.id, "edit")
    changes: MemoryChanges = {}
    if changed.content is not None:
        changes["text"] = changed.content
    if changed.kind is not None:
        changes["kind"] = changed.kind
    if changed.value is not None:
        changes["value"] = changed.value
    if changed.importance is not None:
        changes["importance"] = changed.importance
    if changed.tags is not None:
        changes["tags"] = changed.tags
    if not changes:
        raise InvalidInput(_NO_CHANGE.of(context.language), remedy=_SAY_WHAT.of(context.language))
    changes |= {"trust": least_trusted((memory.trust, "agent")), "origin": "proposal"}
    _check_admission(context, memory, changes)
    return _done(context, _EDITED, context.mind.edit(memory.id, **changes))


def archive_memory(context: ToolContext, chosen: OneMemory) -> ToolAnswer:
    """It is not recalled any more."""
    memory = _changeable(context, chosen.id, "archive")
    return _done(context, _ARCHIVED, context.mind.archive(memory.id))


def restore_memory(context: ToolContext, chosen: OneMemory) -> ToolAnswer:
    """It is recalled again."""
    memory = _changeable(context, chosen.id, "restore")
    _check_admission(context, memory, {"trust": memory.trust})
    try:
        restored = context.mind.restore(memory.id)
    except Conflict as error:
        raise Conflict(
            _NOT_ARCHIVED.of(context.language, id=memory.id),
            remedy=_LIST_ARCHIVED.of(context.language),
        ) from error
    return _done(context, _RESTORED, restored)


def delete_memory(context: ToolContext, chosen: OneMemory) -> ToolAnswer:
    """It goes with all its versions; its turns stay."""
    memory = _changeable(context, chosen.id, "delete")
    return _done(context, _DELETED, context.mind.delete(memory.id))


def _memory(context: ToolContext, id_: str) -> Memory:
    """A memory that a model may see."""
    try:
        memory = context.mind.get(id_)
    except NotFound as error:
        raise _unknown(context, id_) from error
    if not _is_open(memory):
        raise _unknown(context, id_)
    return memory


def _is_open(memory: Memory) -> bool:
    """Whether a model may see it: no secret, and no item that a host keeps for itself."""
    return memory.kind != "credential" and memory.status != "item"


def _changeable(context: ToolContext, id_: str, command: str) -> Memory:
    """A memory that a model may change."""
    memory = _memory(context, id_)
    if memory.trust == "owner" and not context.settings.answer_pending:
        raise InvalidInput(
            _OWNERS.of(context.language, id=memory.id),
            remedy=_BY_USER.of(context.language, command=command, id=memory.id),
        )
    return memory


def _check_admission(context: ToolContext, memory: Memory, changes: MemoryChanges) -> None:
    """What a model may not put into force as a statement, it may not by a change either."""
    importance, trust = changes.get("importance"), changes["trust"]
    importance = memory.importance if importance is None else importance
    claim = Claim(importance, MAX_CONFIDENCE[trust], trust)
    kind = guard_of(context.mind.settings).kind(changes.get("kind", memory.kind))
    admission = route(kind, claim, context.mind.settings)
    if admission.outcome != "new":
        raise InvalidInput(
            _WAITS.of(context.language, reason=admission.reason),
            remedy=_BY_USER.of(context.language, command="edit", id=memory.id),
        )


def _unknown(context: ToolContext, id_: str) -> NotFound:
    return NotFound(
        _UNKNOWN.of(context.language, id=neutral(cut(id_, 60))),
        remedy=_FIND.of(context.language),
    )


def _done(context: ToolContext, text: Bilingual, memory: Memory) -> ToolAnswer:
    return ToolAnswer(text.of(context.language, id=memory.id), _line(context, memory).data)


def _evidence(context: ToolContext, page: EvidencePage, source: str) -> ToolAnswer:
    return evidence(
        page,
        source,
        language=context.language,
        max_chars=context.settings.answer_chars,
        nothing=_NONE.of(context.language),
    )


def _line(context: ToolContext, memory: Memory, *, whole: bool = False) -> EvidenceLine:
    text = cut(memory.content, context.settings.answer_chars if whole else ITEM_CHARS)
    status = "" if memory.status == "active" else memory.status
    kind = context.kind_of(memory)
    day = context.day_of(memory.valid_from)
    facts = (day, kind, memory.trust, status, first_source(memory.sources))
    data = {**plain(memory), **context.mind.words(memory)}
    return EvidenceLine(line(memory.id, facts, text), {**data, "content": text})
