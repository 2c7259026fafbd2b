"""Finding words in plain files: the share of the query's words that a record has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from recollect.documents.fallback.logs import Said
from recollect.index.segment import index_text, query_terms
from recollect.plain import plain
from recollect.recall.request import Request
from recollect.store.rows import Scope
from recollect.types import Hit, Memory, Source, Why

ROUTE = "plain files"


def search(request: Request, memories: Iterable[Memory], said: Iterable[Said]) -> list[Hit]:
    """The best matches, best first; of equals the latest."""
    terms = query_terms(request.query)
    whole = sum(term.weight for term in terms)
    found = []
    for hit, words in _candidates(request.scope, memories, said):
        matched = [term for term in terms if term.text in words]
        if not matched:
            continue
        share = sum(term.weight for term in matched) / whole
        why = Why((ROUTE,), {"text": share}, tuple(term.text for term in matched))
        found.append(replace(hit, score=share, why=why))
    found.sort(key=lambda hit: (hit.score, hit.at), reverse=True)
    return found[: request.k]


def _candidates(
    scope: Scope, memories: Iterable[Memory], said: Iterable[Said]
) -> Iterator[tuple[Hit, frozenset[str]]]:
    nothing = Why((), {})
    if "memory" in scope.types and scope.session is None and scope.speaker is None:
        for one in memories:
            if _memory_fits(one, scope):
                text = "\n".join((one.subject, one.predicate, one.content, *one.tags))
                hit = Hit("memory", one.id, one.content, 0, nothing, one.sources, one.valid_from)
                yield hit, _words(text)
    if "turn" in scope.types and scope.kind is None:
        for entry in said:
            turn = entry.turn
            if _turn_fits(entry, scope):
                told = [f"{call.name} {plain(call.input)}" for call in turn.tool_calls]
                said_by_tools = [result.content for result in turn.tool_results]
                text = "\n".join((turn.sender, turn.content, *told, *said_by_tools))
                source = Source(turn.session, turn.index, turn.id)
                hit = Hit(
                    "turn",
                    turn.id,
                    turn.content,
                    0,
                    nothing,
                    (source,),
                    turn.at,
                    turn.session,
                    turn.index,
                    turn.role,
                    turn.sender,
                )
                yield hit, _words(text)


@lru_cache(maxsize=20_000)  # the same logs are searched again and again
def _words(text: str) -> frozenset[str]:
    return frozenset(index_text(text).split())


def _memory_fits(memory: Memory, scope: Scope) -> bool:
    return (
        scope.project in (None, memory.project)
        and scope.topic in (None, memory.topic)
        and scope.kind in (None, memory.kind)
        and scope.trust in (None, memory.trust)
        and _in_time(memory.valid_from, scope)
        and (scope.as_of is None or memory.created_at <= scope.as_of)
    )


def _turn_fits(entry: Said, scope: Scope) -> bool:
    turn = entry.turn
    return (
        scope.session in (None, turn.session)
        and scope.project in (None, entry.project)
        and scope.topic in (None, entry.topic)
        and scope.speaker in (None, turn.sender)
        and scope.trust in (None, turn.trust)
        and _in_time(turn.at, scope)
        and (scope.as_of is None or turn.at <= scope.as_of)
    )


def _in_time(at: datetime, scope: Scope) -> bool:
    return (scope.since is None or at >= scope.since) and (scope.until is None or at < scope.until)
