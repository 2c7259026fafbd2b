"""search_memory and search_conversation_traces."""

from __future__ import annotations

import json

from mnemic.errors import NotFound
from mnemic.health.metrics import content_terms
from mnemic.language.detection import Language
from mnemic.language.exact import exact_question
from mnemic.language.lines import label, one_line
from mnemic.mind import Mind
from mnemic.plain import plain
from mnemic.tools.answers import (
    EvidenceLine,
    EvidencePage,
    ToolAnswer,
    cut,
    evidence,
    line,
    place,
)
from mnemic.tools.arguments import SearchMemory, SearchTraces
from mnemic.tools.tool_context import ITEM_CHARS, ToolContext
from mnemic.tools.traces import Level, Trace, TraceQuery, find_traces
from mnemic.tools.words import Bilingual
from mnemic.types import Hit, Memory, RecordType, Turn

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


_MOST_FILES = 3  # of a search for turns
_SUMMARIES: tuple[RecordType, ...] = ("memory", "episode", "attachment")


def search_memory(context: ToolContext, request: SearchMemory) -> ToolAnswer:
    """Memories, episode summaries and files, best first."""
    narrowed = request.kind or request.scope
    of: tuple[RecordType, ...] = ("memory",) if narrowed else _SUMMARIES
    end = request.offset + context.limited(request.limit)
    hits = context.mind.recall(
        request.query,
        k=end,
        of=of,
        kind=request.kind,
        scope=request.scope,
        project=request.project,
        since=request.since,
        until=request.until,
        as_of=request.as_of,
        known_at=request.known_at,
        around=context.latest(),
    )
    lines = [_hit_line(context, hit) for hit in hits[request.offset :]]
    return evidence(
        EvidencePage(lines, request.offset, more=len(hits) == end),
        "search_memory",
        language=context.language,
        max_chars=context.settings.answer_chars,
        nothing=_NO_MEMORY.of(context.language),
    )


def _hit_line(context: ToolContext, hit: Hit) -> EvidenceLine | None:
    text = cut(hit.text, ITEM_CHARS)
    data = {"type": hit.type, "id": hit.id, "text": text, "at": plain(hit.at)}
    if hit.type == "episode":
        label = context.mind.settings.vocabulary.label("episode", context.language)
        head = line(hit.id, (context.day_of(hit.at), label, hit.session), text)
        return EvidenceLine(head, {**data, "session": hit.session})
    if hit.type == "attachment":
        head = line(hit.id, (context.day_of(hit.at), "file", hit.session), text)
        return EvidenceLine(head, {**data, "session": hit.session})
    memory = _memory(context.mind, hit.id)
    if memory is None or memory.kind == "credential":
        return None  # forgotten meanwhile, or never to be shown to a model
    until = f"until {context.day_of(hit.ended)}" if hit.ended else ""
    kind = context.kind_of(memory)
    facts = (context.day_of(memory.valid_from), until, kind, memory.trust, place(hit.sources))
    data |= {"at": plain(memory.valid_from), "kind": memory.kind, "trust": memory.trust}
    words = context.mind.words(memory)
    data |= {"record": hit.type, **words} if "type" in words else words
    sources = [{"session": source.session, "index": source.index} for source in hit.sources]
    return EvidenceLine(line(hit.id, facts, text), {**data, "sources": plain(sources)})


def _memory(mind: Mind, id_: str) -> Memory | None:
    try:
        return mind.get(id_)
    except NotFound:
        return None


def search_traces(context: ToolContext, request: SearchTraces) -> ToolAnswer:
    """Raw turns: of the database, else of the host's traces, else of the JSONL copies."""
    end = request.offset + context.limited(request.limit)
    query = TraceQuery(request.query, request.session, request.since, request.until, end)
    traces = find_traces(context.mind, query, context.traces)
    skipped = _UNREADABLE.of(context.language, count=traces.unreadable) if traces.unreadable else ""
    about = {"source": traces.level, "unreadable": traces.unreadable}
    found = [*_files(context, request), *traces.turns]
    lines = [
        one if isinstance(one, EvidenceLine) else _turn_line(context, one)
        for one in found[request.offset : end]
    ]
    if traces.level != "database":  # recall has noted those
        for turn in traces.turns:
            context.mind.note_shown(
                [turn.content, *(result.content for result in turn.tool_results)],
                trust=turn.trust or "external",
            )
    answer = evidence(
        EvidencePage(lines, request.offset, more=len(found) > end or len(traces.turns) == end),
        "search_conversation_traces",
        language=context.language,
        max_chars=context.settings.answer_chars,
        note=f"{_LEVELS[traces.level].of(context.language) if lines else ''} {skipped}".strip(),
        nothing=_NO_TRACE.of(context.language),
    )
    return ToolAnswer(answer.text, {**answer.data, **about})


def _files(context: ToolContext, request: SearchTraces) -> list[EvidenceLine]:
    """Files that a query asks for or names by its words, which no turn may repeat."""
    question = exact_question(request.query)
    asks_for_file = question is not None and question.kind == "file"
    words = content_terms(request.query)
    hits = context.mind.recall(
        request.query,
        k=min(_MOST_FILES, context.limited(request.limit)),
        of="attachment",
        session=request.session,
        since=request.since,
        until=request.until,
    )
    found = [h for h in hits if h.why.terms and (asks_for_file or words.intersection(h.why.terms))]
    return [entry for hit in found if (entry := _hit_line(context, hit)) is not None]


def _turn_line(context: ToolContext, turn: Trace) -> EvidenceLine:
    max_chars = ITEM_CHARS
    calls = [
        (call.name, cut(json.dumps(plain(call.input), ensure_ascii=False), max_chars))
        for call in turn.tool_calls
    ]
    results = [(result.is_error, cut(result.content, max_chars)) for result in turn.tool_results]
    content = cut(turn.content, max_chars)
    at = "" if turn.at is None else str(plain(turn.at))
    id_ = turn.session if turn.index is None else f"{turn.session}#{turn.index}"
    body = "\n".join([content, *_tool_lines(calls, results, context.language)])
    facts = (at[:16].replace("T", " "), turn.role, turn.sender)
    data = {
        "session": turn.session,
        "index": turn.index,
        "id": turn.id if isinstance(turn, Turn) else "",
        "role": turn.role,
        "sender": turn.sender,
        "at": at,
        "content": content,
        "tool_calls": plain([{"name": name, "input": body} for name, body in calls]),
        "tool_results": plain([{"is_error": bad, "content": text} for bad, text in results]),
    }
    return EvidenceLine(line(id_, facts, body), data)


def _tool_lines(
    calls: list[tuple[str, str]], results: list[tuple[bool, str]], language: Language
) -> list[str]:
    called = [
        f"({_CALLED.of(language)} {label(name)} {one_line(arguments)})" for name, arguments in calls
    ]
    return called + [
        f"({(_FAILED if bad else _RESULT).of(language)}: {text})" for bad, text in results
    ]
