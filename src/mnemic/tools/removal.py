"""forget: a preview first, then the removal of exactly what was shown.

What a user said is the user's to remove, unless `tools.answer_pending` lets the model act for them.
"""

from __future__ import annotations

from hashlib import sha256

from mnemic.errors import InvalidInput
from mnemic.tools.answers import EvidenceLine, EvidencePage, ToolAnswer, line
from mnemic.tools.tool_context import ToolContext
from mnemic.types import ForgetQuery, Forgotten, Json, Receipt


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
    page = EvidencePage([_line(item) for item in preview.items])
    answer = context.show(page, "forget", nothing=context.text("forget.nothing"), note=note)
    code = code if count and command is None else ""
    counts: dict[str, Json] = {name: number for name, number in preview.counts.items() if number}
    about: dict[str, Json] = {"done": False, "confirm": code, "counts": counts, "receipt": ""}
    return ToolAnswer(answer.text, {**answer.data, **about})


def _line(item: Forgotten) -> EvidenceLine:
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
