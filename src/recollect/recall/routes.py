"""Routes beside words and meaning: named times, exact questions, partitions, recent days.

Each gives a ranked list of documents; what they add to a score is the ranking's business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from recollect.index.segment import STOP_WEIGHT, has_dense_script, query_terms
from recollect.language.entities import find_entities
from recollect.language.exact import ExactQuestion
from recollect.recall.request import Request
from recollect.settings.recall import RecallSettings
from recollect.store.contract import Unit
from recollect.types import RecordType, SafeName

_ENTITY_CANDIDATES = 20  # as many as full text gives beside vectors
_PARTITION_CANDIDATES = 20  # as in document D §5.3

_EXACT_DEPTH = 200
_ABOUT: tuple[RecordType, ...] = ("memory", "episode")


class Routed(NamedTuple):
    """Documents, best first; ``total`` says how many there are where that was counted."""

    docs: list[int]
    total: int = 0


Route = Callable[[Request, RecallSettings, Unit], Routed]


def by_time(request: Request, settings: RecallSettings, unit: Unit) -> Routed:
    """What was said in the times that the query names."""
    docs: list[int] = []
    for span in request.times:
        scope = replace(request.scope, since=span.start, until=span.end)
        terms = query_terms(request.query.replace(span.text, " "))
        found = unit.text.search(terms, scope, settings.text_candidates)
        docs += [match.doc for match in found.matches]
        if not found.matches:
            docs += unit.text.latest(scope, settings.text_candidates)
    return Routed(docs)


def by_exact_question(request: Request, settings: RecallSettings, unit: Unit) -> Routed:
    """Everything that has all the words of an exact question's topic, in the order it asks for."""
    question = request.exact
    if question is None:
        return Routed([])
    if question.kind == "file":
        return Routed(_files(request, question, settings, unit))
    everything = query_terms(question.topic)
    empty = {term.text for term in everything if term.weight <= STOP_WEIGHT}
    telling = [
        term.text for term in everything if term.weight >= 1 and not _is_loose(term.text, empty)
    ]
    if not telling:
        return Routed([])
    docs, total = unit.text.holding(telling, request.scope, _EXACT_DEPTH)
    if question.kind in ("latest", "earliest"):
        docs = unit.ledger.in_order(docs, newest_first=question.kind == "latest")
    return Routed(docs, total)


def by_entity(request: Request, settings: RecallSettings, unit: Unit) -> Routed:
    """Memories and episodes about what the query names: people, projects, files, tools."""
    types = tuple(type_ for type_ in request.scope.types if type_ in _ABOUT)
    named = find_entities(request.query) if types else ()
    terms = {term.text: term for name in named for term in query_terms(name)}
    if not terms:
        return Routed([])
    scope = replace(request.scope, types=types)
    found = unit.text.search(list(terms.values()), scope, _ENTITY_CANDIDATES)
    return Routed([match.doc for match in found.matches])


def _is_loose(term: str, empty: set[str]) -> bool:
    """Whether a pair of characters only holds a word and a particle beside it: 看了, 红的."""
    return has_dense_script(term) and any(character in empty for character in term)


def _files(
    request: Request, question: ExactQuestion, settings: RecallSettings, unit: Unit
) -> list[int]:
    if "attachment" not in request.scope.types:
        return []
    scope = replace(request.scope, types=("attachment",))
    found = unit.text.search(query_terms(question.topic), scope, settings.text_candidates)
    docs = [match.doc for match in found.matches]
    return docs or unit.text.latest(scope, settings.text_candidates)


def by_partition(request: Request, settings: RecallSettings, unit: Unit) -> Routed:
    """The most important memories of the project at hand, and of none in particular."""
    if "memory" not in request.scope.types:
        return Routed([])
    project = request.scope.project or _named_project(unit, request.query)
    return Routed(unit.memories.partition(project, _PARTITION_CANDIDATES))


def _named_project(unit: Unit, query: str) -> SafeName | None:
    folded = query.lower()
    named = [name for name in unit.memories.projects() if name.lower() in folded]
    return max(named, key=len, default=None)


def by_recency(request: Request, settings: RecallSettings, unit: Unit) -> Routed:
    """What was said and learnt in the last days, whatever its words."""
    since = request.now - settings.recent
    scope = replace(request.scope, since=max(since, request.scope.since or since))
    return Routed(unit.text.latest(scope, settings.text_candidates))


def applies(route: str, request: Request) -> bool:
    """Whether a route has anything to go by."""
    if route == "time":
        return bool(request.times)
    return route != "exact" or request.exact is not None


OTHER_ROUTES: dict[str, Route] = {
    "time": by_time,
    "exact": by_exact_question,
    "entity": by_entity,
    "partition": by_partition,
    "recent": by_recency,
}
