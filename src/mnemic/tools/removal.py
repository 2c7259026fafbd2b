"""forget: a preview first, then the removal of exactly what was shown.

What a user said is the user's to remove, unless `tools.answer_pending` lets the model act for them.
"""

from __future__ import annotations

from hashlib import sha256

from mnemic.errors import InvalidInput
from mnemic.tools.answers import EvidenceLine, EvidencePage, ToolAnswer, evidence, line
from mnemic.tools.arguments import Forget
from mnemic.tools.tool_context import ToolContext
from mnemic.tools.words import Bilingual
from mnemic.types import ForgetQuery, Forgotten, Json, Receipt

_NOTHING = Bilingual("Nothing to remove was found.", "没有找到要删除的内容。")
_PREVIEW = Bilingual(
    "Nothing is removed yet. {count} entries would be gone for good. Show the user; once they"
    " agree, call forget again with the same arguments and confirm {code}.",
    "尚未删除。以下 {count} 条会被彻底删除。请给用户看；用户同意后，"
    "用同样的参数并加 confirm {code} 再次调用 forget。",
)
_PREVIEW_BY_USER = Bilingual(
    "Nothing is removed yet. {count} entries would be gone for good; the user removes their own"
    " words: {command}",
    "尚未删除。以下 {count} 条会被彻底删除；用户自己的话由用户删除：{command}",
)
_DONE = Bilingual("Forgotten for good: {counts}.", "已彻底忘记：{counts}。")
_CHANGED = Bilingual(
    "confirm is not the code of what would be removed now", "confirm 不是现在要删除内容的代码"
)
_AGAIN = Bilingual(
    "Call forget without confirm and show the user the new preview",
    "请不带 confirm 调用 forget，把新的预览给用户看",
)
_OWNERS = Bilingual("It holds what the user said", "其中有用户说过的话")
_BY_USER = Bilingual("Ask the user to do it: {command}", "请用户自己操作：{command}")


def forget(context: ToolContext, request: Forget) -> ToolAnswer:
    """What would go, with the code to confirm it; with that code, the removal."""
    query: ForgetQuery = {
        "id": request.id,
        "query": request.query,
        "session": request.session,
        "since": request.since,
        "until": request.until,
    }
    preview = context.mind.forget(dry_run=True, **query)
    code = _code(preview)
    allowed = context.settings.answer_pending or all(_is_agents(context, i) for i in preview.items)
    if not request.confirm:
        return _preview(context, preview, code, None if allowed else _command(query))
    if not allowed:
        raise InvalidInput(
            _OWNERS.of(context.language),
            remedy=_BY_USER.of(context.language, command=_command(query)),
        )
    if request.confirm != code:
        raise InvalidInput(_CHANGED.of(context.language), remedy=_AGAIN.of(context.language))
    receipt = context.mind.forget(**query)
    counts: dict[str, Json] = {name: number for name, number in receipt.counts.items() if number}
    listed = ", ".join(f"{number} {name}" for name, number in counts.items())
    return ToolAnswer(
        _DONE.of(context.language, counts=listed),
        {"done": True, "confirm": "", "counts": counts, "receipt": receipt.id, **_NO_RESULTS},
    )


_NO_RESULTS: dict[str, Json] = {"results": [], "left_out": 0, "next_offset": None}


def _preview(context: ToolContext, preview: Receipt, code: str, command: str | None) -> ToolAnswer:
    """The entries that would go; ``command`` is for the user, where a model may not do it."""
    count = len(preview.items)
    note = _PREVIEW.of(context.language, count=count, code=code)
    if command is not None:
        note = _PREVIEW_BY_USER.of(context.language, count=count, command=command)
    answer = evidence(
        EvidencePage([_line(item) for item in preview.items]),
        "forget",
        language=context.language,
        max_chars=context.settings.answer_chars,
        note=note if count else "",
        nothing=_NOTHING.of(context.language),
    )
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
    if item.kind != "memory":
        return False
    memory = context.mind.get(item.id)
    return memory.trust != "owner" and memory.kind != "credential"


def _command(query: ForgetQuery) -> str:
    options = (f"--{name} {_quoted(str(value))}" for name, value in query.items() if value)
    return " ".join(("mnemic forget", *options))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
