"""get_memory_stats, and the scratchpad."""

from __future__ import annotations

from mnemic.plain import plain
from mnemic.rules.checks import MAX_ROWS
from mnemic.tools.answers import ToolAnswer, ToolContext, as_data
from mnemic.tools.parameters import AnyText
from mnemic.types import Scratchpad, Stats


def get_memory_stats(context: ToolContext) -> ToolAnswer:
    """How much is remembered, and whether anything is wrong."""
    stats = context.mind.stats()
    waiting = len(context.mind.pending(limit=MAX_ROWS))
    return ToolAnswer(_describe(context, stats, waiting), {**plain(stats), "waiting": waiting})


def _describe(context: ToolContext, stats: Stats, waiting: int) -> str:
    parts = [context.text("overview.stats", **plain(stats), waiting=waiting)]
    if stats.by_kind:
        listed = ", ".join(f"{word} {count:,}" for word, count in stats.by_kind.items())
        parts.append(context.text("overview.kinds", listed=listed))
    if stats.first_at and stats.last_at:
        first, last = context.day_of(stats.first_at), context.day_of(stats.last_at)
        parts.append(context.text("overview.span", first=first, last=last))
    if stats.jobs_dead:
        parts.append(context.text("overview.dead", dead=stats.jobs_dead))
    return " ".join(parts)


def read_scratchpad(context: ToolContext) -> ToolAnswer:
    """What is in hand."""
    pad = context.mind.scratchpad()
    if not pad.text.strip():
        return ToolAnswer(context.text("overview.empty"), _facts(pad))
    text = as_data(pad.text, "scratchpad", context.language, pad.updated_at)
    return ToolAnswer(text, _facts(pad))


def update_scratchpad(context: ToolContext, *, markdown: AnyText) -> ToolAnswer:
    """The agent's own text in place of it; the old one stays in the history."""
    pad = context.mind.write_scratchpad(markdown, by="agent")
    return ToolAnswer(context.text("overview.written"), _facts(pad))


def _facts(pad: Scratchpad) -> dict[str, str]:
    return {"text": pad.text, "updated_at": plain(pad.updated_at) or ""}
