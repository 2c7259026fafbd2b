"""get_memory_stats, and the scratchpad."""

from __future__ import annotations

from mnemic.plain import plain
from mnemic.rules.checks import MAX_ROWS
from mnemic.tools.answers import ToolAnswer, as_data
from mnemic.tools.arguments import NewScratchpad, NoArguments
from mnemic.tools.tool_context import ToolContext
from mnemic.tools.words import Bilingual
from mnemic.types import Scratchpad, Stats

_STATS = Bilingual(
    "{memories:,} memories, {waiting:,} waiting for the user's word, {episodes:,} episodes,"
    " {attachments:,} files; {turns:,} turns in {sessions:,} conversations.",
    "{memories:,} 条记忆，{waiting:,} 条等待用户确认，{episodes:,} 个情节，{attachments:,} 个文件；"
    "{sessions:,} 次会话共 {turns:,} 轮。",
)
_KINDS = Bilingual("Memories by kind: {listed}.", "记忆按类别：{listed}。")
_SPAN = Bilingual("From {first} to {last}.", "时间从 {first} 到 {last}。")
_DEAD = Bilingual(
    "{dead:,} background jobs failed; the owner can see them with `mnemic jobs`.",
    "有 {dead:,} 个后台任务失败，主人可用 `mnemic jobs` 查看。",
)
_EMPTY = Bilingual("The scratchpad is empty.", "草稿板是空的。")
_WRITTEN = Bilingual("The scratchpad was replaced.", "草稿板已更新。")


def memory_stats(context: ToolContext, _: NoArguments) -> ToolAnswer:
    """How much is remembered, and whether anything is wrong."""
    stats = context.mind.stats()
    waiting = len(context.mind.pending(limit=MAX_ROWS))
    return ToolAnswer(_describe(context, stats, waiting), {**plain(stats), "waiting": waiting})


def _describe(context: ToolContext, stats: Stats, waiting: int) -> str:
    parts = [
        _STATS.of(
            context.language,
            memories=stats.memories,
            waiting=waiting,
            episodes=stats.episodes,
            attachments=stats.attachments,
            turns=stats.turns,
            sessions=stats.sessions,
        )
    ]
    if stats.by_kind:
        listed = ", ".join(f"{word} {count:,}" for word, count in stats.by_kind.items())
        parts.append(_KINDS.of(context.language, listed=listed))
    if stats.first_at and stats.last_at:
        first, last = context.day_of(stats.first_at), context.day_of(stats.last_at)
        parts.append(_SPAN.of(context.language, first=first, last=last))
    if stats.jobs_dead:
        parts.append(_DEAD.of(context.language, dead=stats.jobs_dead))
    return " ".join(parts)


def read_scratchpad(context: ToolContext, _: NoArguments) -> ToolAnswer:
    """What is in hand."""
    pad = context.mind.scratchpad()
    if not pad.text.strip():
        return ToolAnswer(_EMPTY.of(context.language), _facts(pad))
    text = as_data(pad.text, "scratchpad", context.language, pad.updated_at)
    return ToolAnswer(text, _facts(pad))


def update_scratchpad(context: ToolContext, new: NewScratchpad) -> ToolAnswer:
    """The agent's own text in place of it; the old one stays in the history."""
    pad = context.mind.write_scratchpad(new.markdown, by="agent")
    return ToolAnswer(_WRITTEN.of(context.language), _facts(pad))


def _facts(pad: Scratchpad) -> dict[str, str]:
    return {"text": pad.text, "updated_at": plain(pad.updated_at) or ""}
