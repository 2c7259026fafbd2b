"""search_memory and search_conversation_traces."""

from __future__ import annotations

import json
from dataclasses import replace

from mnemic.context.render import bullet, tool_lines
from mnemic.engine.mind import Mind
from mnemic.errors import NotFound
from mnemic.health.metrics import content_terms
from mnemic.language.exact import exact_question
from mnemic.language.lines import label
from mnemic.plain import plain
from mnemic.tools.answers import ITEM_CHARS, EvidenceLine, ToolAnswer, ToolContext, cut, line
from mnemic.tools.parameters import Kind, Scope
from mnemic.tools.traces import Trace, TraceQuery, find_traces
from mnemic.types import Evidence, Hit, Memory, RecordType, Turn

_MOST_FILES = 3  # of a search for turns
_SUMMARIES: tuple[RecordType, ...] = ("memory", "episode", "attachment")


def search_memory(
    context: ToolContext,
    *,
    query: str,
    kind: Kind | None = None,
    scope: Scope | None = None,
    project: str | None = None,
    since: str | None = None,
    until: str | None = None,
    as_of: str | None = None,
    known_at: str | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> ToolAnswer:
    """Memories, episode summaries and files, best first."""
    end = offset + context.limit_results(limit)
    hits = context.mind.recall(
        query,
        limit=end,
        of=("memory",) if kind or scope else _SUMMARIES,
        kind=kind,
        scope=scope,
        project=project,
        since=since,
        until=until,
        as_of=as_of,
        known_at=known_at,
        around=context.latest(),
    )
    shown = {evidence.hit.id: evidence for evidence in context.mind.evidence(query, hits)}
    lines = [
        _hit_line(context, shown[hit.id]) if hit.id in shown else None for hit in hits[offset:]
    ]
    nothing, more = context.text("search.no_memory"), len(hits) == end
    return context.show(lines, "search_memory", nothing=nothing, offset=offset, more=more)


def _hit_line(context: ToolContext, evidence: Evidence) -> EvidenceLine:
    hit = evidence.hit
    text = cut(hit.text, ITEM_CHARS)
    data = {"type": hit.type, "id": hit.id, "text": text, "at": plain(hit.valid_from or hit.at)}
    head = ", ".join(filter(None, (evidence.head, label(hit.session))))
    if hit.type == "memory":
        words = context.mind.words(_memory(context.mind, hit))
        data |= {"kind": hit.kind, "trust": hit.trust}
        data |= {"record": hit.type, **words} if "type" in words else words
        sources = [{"session": source.session, "index": source.index} for source in hit.sources]
        data |= {"sources": plain(sources)}
    else:
        data |= {"session": hit.session}
    return EvidenceLine(bullet(head, text, hit.id), data)


def _memory(mind: Mind, hit: Hit) -> Memory | Hit:
    """The whole memory, which has words that a hit lacks, unless it was forgotten meanwhile."""
    try:
        return mind.get(hit.id)
    except NotFound:
        return hit


def search_conversation_traces(
    context: ToolContext,
    *,
    query: str,
    session: str | None = None,
    since: str | None = None,
    until: str | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> ToolAnswer:
    """Raw turns: of the database, else of the host's traces, else of the JSONL copies."""
    end = offset + context.limit_results(limit)
    request = TraceQuery(query, session, since, until, end)
    traces = find_traces(context.mind, request, context.traces)
    most_files = min(_MOST_FILES, context.limit_results(limit))
    entries = [*_files(context, replace(request, limit=most_files)), *traces.turns]
    lines = [
        entry if isinstance(entry, EvidenceLine) else _turn_line(context, entry)
        for entry in entries[offset:end]
    ]
    if traces.level != "database":  # recall has noted those
        for turn in traces.turns:
            context.mind.note_shown(
                [turn.text, *(result.content for result in turn.tool_results)],
                trust=turn.trust or "external",
            )
    notes = [context.text(f"search.levels.{traces.level}")] if lines else []
    if traces.unreadable:
        notes.append(context.text("search.unreadable", count=traces.unreadable))
    return context.show(
        lines,
        "search_conversation_traces",
        nothing=context.text("search.no_trace"),
        note=" ".join(notes),
        offset=offset,
        more=len(entries) > end or len(traces.turns) == end,
        source=traces.level,
        unreadable=traces.unreadable,
    )


def _files(context: ToolContext, request: TraceQuery) -> list[EvidenceLine]:
    """Files that a query asks for or names by its words, which no turn may repeat."""
    question = exact_question(request.query)
    asks_for_file = question is not None and question.kind == "file"
    words = content_terms(request.query)
    hits = context.mind.recall(
        request.query,
        limit=request.limit,
        of="attachment",
        session=request.session,
        since=request.since,
        until=request.until,
    )
    files = [h for h in hits if h.why.terms and (asks_for_file or words.intersection(h.why.terms))]
    return [_hit_line(context, entry) for entry in context.mind.evidence(request.query, files)]


def _turn_line(context: ToolContext, turn: Trace) -> EvidenceLine:
    inputs = [
        cut(json.dumps(plain(call.input), ensure_ascii=False), ITEM_CHARS)
        for call in turn.tool_calls
    ]
    results = [cut(result.content, ITEM_CHARS) for result in turn.tool_results]
    content = cut(turn.text, ITEM_CHARS)
    at = "" if turn.at is None else str(plain(turn.at))
    id_ = turn.session if turn.index is None else f"{turn.session}#{turn.index}"
    body = "\n".join(filter(None, [content, *tool_lines(turn, inputs, results, context.language)]))
    facts = (at[:16].replace("T", " "), turn.role, turn.sender)
    calls = zip(turn.tool_calls, inputs, strict=True)
    answers = zip(turn.tool_results, results, strict=True)
    data = {
        "session": turn.session,
        "index": turn.index,
        "id": turn.id if isinstance(turn, Turn) else "",
        "role": turn.role,
        "sender": turn.sender,
        "at": at,
        "text": content,
        "tool_calls": plain([{"name": call.name, "input": text} for call, text in calls]),
        "tool_results": plain([{"is_error": reply.is_error, "content": t} for reply, t in answers]),
    }
    return EvidenceLine(line(id_, facts, body), data)
