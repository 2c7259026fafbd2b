"""search_memory and search_conversation_traces."""

from __future__ import annotations

import json

from recollect.errors import NotFound
from recollect.language.detection import Language
from recollect.language.lines import label
from recollect.language.one_line import one_line
from recollect.mind import Mind
from recollect.plain import plain
from recollect.tools.answers import EvidenceLine, ToolAnswer, cut, day, evidence, line, place
from recollect.tools.arguments import SearchMemory, SearchTraces
from recollect.tools.tool_context import ToolContext
from recollect.tools.traces import Level, Trace, TraceQuery, find_traces
from recollect.tools.words import Bilingual
from recollect.types import Hit, Memory, RecordType, Turn

_NO_MEMORY = Bilingual(
    "Nothing is known about this. For exact words try search_conversation_traces.",
    "没有相关记忆。查原话可用 search_conversation_traces。",
)
_NO_TRACE = Bilingual("No turn of any conversation matches.", "没有匹配的对话记录。")
_LEVELS: dict[Level, Bilingual] = {
    "database": Bilingual("Turns of recorded conversations:", "已记录的对话："),
    "host": Bilingual("Turns of the host's traces:", "宿主提供的轨迹："),
    "jsonl": Bilingual("Turns of the JSONL copies:", "JSONL 副本中的对话："),
}
_UNREADABLE = Bilingual(
    "{count} lines or files could not be read.", "有 {count} 行或文件无法读取。"
)
_CALLED = Bilingual("called", "调用")
_RESULT = Bilingual("result", "结果")
_FAILED = Bilingual("failed", "失败")


def search_memory(desk: ToolContext, asked: SearchMemory) -> ToolAnswer:
    """Memories and episode summaries, best first."""
    of: tuple[RecordType, ...] = ("memory",) if asked.kind else ("memory", "episode")
    hits = desk.mind.recall(
        asked.query,
        k=desk.wanted(asked.limit),
        of=of,
        kind=asked.kind,
        project=asked.project,
        since=asked.since,
        until=asked.until,
    )
    shown = [one for hit in hits if (one := _shown_hit(desk, hit)) is not None]
    if not shown:
        return ToolAnswer(_NO_MEMORY.of(desk.language), {"results": [], "left_out": 0})
    return evidence(shown, "search_memory", language=desk.language, room=desk.settings.answer_chars)


def _shown_hit(desk: ToolContext, hit: Hit) -> EvidenceLine | None:
    text = cut(hit.text, desk.settings.item_chars)
    data = {"type": hit.type, "id": hit.id, "text": text, "at": plain(hit.at)}
    if hit.type == "episode":
        head = line(hit.id, (day(hit.at), "episode", hit.session), text)
        return EvidenceLine(head, {**data, "session": hit.session})
    memory = _memory(desk.mind, hit.id)
    if memory is None or memory.kind == "credential":
        return None  # forgotten meanwhile, or never to be shown to a model
    facts = (day(memory.valid_from), memory.kind, memory.trust, place(hit.sources))
    data |= {"at": plain(memory.valid_from), "kind": memory.kind, "trust": memory.trust}
    sources = [{"session": source.session, "index": source.index} for source in hit.sources]
    return EvidenceLine(line(hit.id, facts, text), {**data, "sources": plain(sources)})


def _memory(mind: Mind, id_: str) -> Memory | None:
    try:
        versions = mind.history(id_).versions
    except NotFound:
        return None
    return next((version for version in versions if version.id == id_), None)


def search_traces(desk: ToolContext, asked: SearchTraces) -> ToolAnswer:
    """Raw turns: of the database, else of the host's traces, else of the JSONL copies."""
    query = TraceQuery(
        asked.query, asked.session, asked.since, asked.until, desk.wanted(asked.limit)
    )
    found = find_traces(desk.mind, query, desk.traces)
    skipped = _UNREADABLE.of(desk.language, count=found.unreadable) if found.unreadable else ""
    about = {"source": found.level, "unreadable": found.unreadable}
    if not found.turns:
        text = f"{_NO_TRACE.of(desk.language)} {skipped}".strip()
        return ToolAnswer(text, {"results": [], "left_out": 0, **about})
    if found.level != "database":  # recall has noted those
        for turn in found.turns:
            desk.mind.note_shown(
                [turn.content, *(result.content for result in turn.tool_results)],
                trust=turn.trust or "external",
            )
    answer = evidence(
        [_shown_turn(desk, turn) for turn in found.turns],
        "search_conversation_traces",
        language=desk.language,
        room=desk.settings.answer_chars,
        note=f"{_LEVELS[found.level].of(desk.language)} {skipped}".strip(),
    )
    return ToolAnswer(answer.text, {**answer.data, **about})


def _shown_turn(desk: ToolContext, turn: Trace) -> EvidenceLine:
    most = desk.settings.item_chars
    calls = [
        (call.name, cut(json.dumps(plain(call.input), ensure_ascii=False), most))
        for call in turn.tool_calls
    ]
    results = [(result.is_error, cut(result.content, most)) for result in turn.tool_results]
    content = cut(turn.content, most)
    at = "" if turn.at is None else str(plain(turn.at))
    id_ = turn.session if turn.index is None else f"{turn.session}#{turn.index}"
    told = "\n".join([content, *_tool_lines(calls, results, desk.language)])
    facts = (at[:16].replace("T", " "), turn.role, turn.sender)
    data = {
        "session": turn.session,
        "index": turn.index,
        "id": turn.id if isinstance(turn, Turn) else "",
        "role": turn.role,
        "sender": turn.sender,
        "at": at,
        "content": content,
        "tool_calls": plain([{"name": name, "input": told} for name, told in calls]),
        "tool_results": plain([{"is_error": bad, "content": said} for bad, said in results]),
    }
    return EvidenceLine(line(id_, facts, told), data)


def _tool_lines(
    calls: list[tuple[str, str]], results: list[tuple[bool, str]], language: Language
) -> list[str]:
    called = [f"({_CALLED.of(language)} {label(name)} {one_line(told)})" for name, told in calls]
    return called + [
        f"({(_FAILED if bad else _RESULT).of(language)}: {said})" for bad, said in results
    ]
