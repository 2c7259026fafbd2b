"""list_memories, one memory at a time (get, edit, archive, restore, delete), and forget.

A model changes and removes what models and tools said. What the owner said is the owner's, unless
`tools.answer_pending` lets the model act for them; what it then says is the model's own word.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Literal, cast

from mnemic.context.parts import first_source
from mnemic.errors import Conflict, InvalidInput, NotFound
from mnemic.language.fence import neutral
from mnemic.language.guard import guard_of
from mnemic.plain import plain
from mnemic.rules.reconcile import route
from mnemic.rules.speakers import least_trusted
from mnemic.rules.support import MAX_CONFIDENCE, Claim
from mnemic.tools.answers import ITEM_CHARS, EvidenceLine, ToolAnswer, ToolContext, cut, line
from mnemic.types import ForgetQuery, Forgotten, Json, Memory, MemoryChanges, MemoryOrder, Receipt

ListedStatus = Literal["active", "pending", "superseded", "rejected", "archived", "all"]


def list_memories(
    context: ToolContext,
    *,
    kind: str | None = None,
    project: str | None = None,
    subject: str | None = None,
    tag: str | None = None,
    text: str | None = None,
    status: ListedStatus | None = None,
    since: str | None = None,
    until: str | None = None,
    order: MemoryOrder = "newest",
    limit: int | None = None,
    offset: int = 0,
) -> ToolAnswer:
    """Memories that hold now, by filters, a page at a time."""
    most = context.limit_results(limit)
    listed = context.mind.memories(
        kind=kind,
        project=project,
        subject=subject,
        tag=tag,
        text=text,
        status=status,
        since=since,
        until=until,
        order=order,
        limit=most + 1,
        offset=offset,
    )
    shown = [_line(context, m) if _is_open(m) else None for m in listed[:most]]
    nothing, more = context.text("memory.none"), len(listed) > most
    return context.show(shown, "list_memories", nothing=nothing, offset=offset, more=more)


def get_memory(context: ToolContext, *, id: str) -> ToolAnswer:
    """One memory, of whatever status."""
    memory = _get(context, id)
    text = cut(memory.text, context.settings.answer_chars)
    return context.show([_line(context, memory, text)], "get_memory", nothing="")


def edit_memory(
    context: ToolContext,
    *,
    id: str,
    text: str | None = None,
    kind: str | None = None,
    value: str | None = None,
    importance: float | None = None,
    tags: tuple[str, ...] | None = None,
) -> ToolAnswer:
    """The next version of a memory, in the agent's words; what is left out stays."""
    memory = _changeable(context, id, "edit")
    fields = {"text": text, "kind": kind, "value": value, "importance": importance, "tags": tags}
    given = {name: field for name, field in fields.items() if field is not None}
    if not given:
        remedy = context.text("memory.say_what")
        raise InvalidInput(context.text("memory.no_change"), remedy=remedy)
    trust = least_trusted((memory.trust, "agent"))
    changes = cast("MemoryChanges", {**given, "trust": trust, "origin": "proposal"})
    _check_admission(context, memory, changes)
    return _done(context, "edited", context.mind.edit(memory.id, **changes))


def archive_memory(context: ToolContext, *, id: str) -> ToolAnswer:
    """It is not recalled any more."""
    return _done(context, "archived", context.mind.archive(_changeable(context, id, "archive").id))


def restore_memory(context: ToolContext, *, id: str) -> ToolAnswer:
    """It is recalled again."""
    memory = _changeable(context, id, "restore")
    _check_admission(context, memory, {"trust": memory.trust})
    try:
        restored = context.mind.restore(memory.id)
    except Conflict as error:
        raise Conflict(
            context.text("memory.not_archived", id=memory.id),
            remedy=context.text("memory.list_archived"),
        ) from error
    return _done(context, "restored", restored)


def delete_memory(context: ToolContext, *, id: str) -> ToolAnswer:
    """It goes with all its versions; its turns stay."""
    return _done(context, "deleted", context.mind.delete(_changeable(context, id, "delete").id))


def _get(context: ToolContext, id_: str) -> Memory:
    """A memory that a model may see."""
    try:
        memory = context.mind.get(id_)
    except NotFound:
        memory = None
    if memory is None or not _is_open(memory):
        raise NotFound(
            context.text("memory.unknown", id=neutral(cut(id_, 60))),
            remedy=context.text("memory.find"),
        )
    return memory


def _is_open(memory: Memory) -> bool:
    """Whether a model may see it: no secret, and no item that a host keeps for itself."""
    return memory.kind != "credential" and memory.status != "item"


def _changeable(context: ToolContext, id_: str, command: str) -> Memory:
    """A memory that a model may change."""
    memory = _get(context, id_)
    if memory.trust == "owner" and not context.settings.answer_pending:
        raise InvalidInput(
            context.text("memory.owners", id=memory.id),
            remedy=context.text("memory.by_user", command=command, id=memory.id),
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
            context.text("memory.waits", reason=admission.reason),
            remedy=context.text("memory.by_user", command="edit", id=memory.id),
        )


def _done(context: ToolContext, outcome: str, memory: Memory) -> ToolAnswer:
    return ToolAnswer(context.text(f"memory.{outcome}", id=memory.id), _line(context, memory).data)


def _line(context: ToolContext, memory: Memory, text: str | None = None) -> EvidenceLine:
    text = cut(memory.text, ITEM_CHARS) if text is None else text
    status = "" if memory.status == "active" else memory.status
    kind, day = context.kind_of(memory), context.day_of(memory.valid_from)
    facts = (day, kind, memory.trust, status, first_source(memory.sources))
    data = {**plain(memory), **context.mind.words(memory)}
    return EvidenceLine(line(memory.id, facts, text), {**data, "text": text})


def forget(
    context: ToolContext,
    *,
    id: str | None = None,
    query: str | None = None,
    session: str | None = None,
    since: str | None = None,
    until: str | None = None,
    confirm: str = "",
) -> ToolAnswer:
    """What would go, with the code to confirm it; with that code, the removal."""
    wanted: ForgetQuery = {
        "id": id, "query": query, "session": session, "since": since, "until": until,
    }  # fmt: skip
    preview = context.mind.forget(dry_run=True, **wanted)
    code = _code(preview)
    allowed = context.settings.answer_pending or all(_is_agents(context, i) for i in preview.items)
    if not confirm:
        return _preview(context, preview, code, None if allowed else _command(wanted))
    if not allowed:
        raise InvalidInput(
            context.text("forget.owners"),
            remedy=context.text("forget.by_user", command=_command(wanted)),
        )
    if confirm != code:
        raise InvalidInput(context.text("forget.changed"), remedy=context.text("forget.again"))
    receipt = context.mind.forget(**wanted)
    counts: dict[str, Json] = {name: number for name, number in receipt.counts.items() if number}
    listed = ", ".join(f"{number} {name}" for name, number in counts.items())
    return ToolAnswer(
        context.text("forget.done", counts=listed),
        {"done": True, "confirm": "", "counts": counts, "receipt": receipt.id, **_NO_RESULTS},
    )


_NO_RESULTS: dict[str, Json] = {"results": [], "left_out": 0, "next_offset": None}


def _preview(context: ToolContext, preview: Receipt, code: str, command: str | None) -> ToolAnswer:
    """The entries that would go; ``command`` is for the user, where a model may not do it."""
    count = len(preview.items)
    key = "forget.preview" if command is None else "forget.preview_by_user"
    note = context.text(key, count=count, code=code, command=command) if count else ""
    counts: dict[str, Json] = {name: number for name, number in preview.counts.items() if number}
    return context.show(
        [_removal_line(item) for item in preview.items],
        "forget",
        nothing=context.text("forget.nothing"),
        note=note,
        done=False,
        confirm=code if count and command is None else "",
        counts=counts,
        receipt="",
    )


def _removal_line(item: Forgotten) -> EvidenceLine:
    data = {"type": item.kind, "id": item.id, "change": item.change, "reason": item.reason}
    text = line(item.id, (item.kind, item.change, item.reason), item.text)
    return EvidenceLine(text, {**data, "text": item.text})


def _code(preview: Receipt) -> str:
    """Changes with what would be removed."""
    items = sorted((item.kind, item.id, item.change) for item in preview.items)
    return sha256(repr(items).encode()).hexdigest()[:12]


def _is_agents(context: ToolContext, item: Forgotten) -> bool:
    """Whether it is a memory that a model or a tool made, and nobody's words."""
    memory = context.mind.get(item.id) if item.kind == "memory" else None
    return memory is not None and memory.trust != "owner" and memory.kind != "credential"


def _command(query: ForgetQuery) -> str:
    options = (f"--{name} {_quote(str(value))}" for name, value in query.items() if value)
    return " ".join(("mnemic forget", *options))


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
