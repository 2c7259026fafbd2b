"""Candidates from every route: words, meaning, named times, exact questions, partitions, recency.

Each route gives a ranked list of documents; what they add to a score is the ranking's business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property, partial
from typing import NamedTuple

from mnemic.days import LocalSpan
from mnemic.index.forms import with_forms
from mnemic.index.segment import (
    CHARACTER_WEIGHT,
    STOP_WEIGHT,
    WORD_WEIGHT,
    has_dense_script,
    index_text,
    query_terms,
)
from mnemic.language.entities import find_entities
from mnemic.language.exact import ExactQuestion
from mnemic.language.names import respell, words_of
from mnemic.language.query_intent import asks_recent, without_asking
from mnemic.patterns import defer
from mnemic.recall.attempts import Attempts
from mnemic.recall.request import NamedTime, Request, with_query
from mnemic.recall.slot_route import answers_by_slot
from mnemic.recall.vectors import VectorMatches, VectorRoute
from mnemic.rules import checks
from mnemic.settings import Settings
from mnemic.settings.recall import RecallSettings
from mnemic.store.contract import Unit
from mnemic.store.rows import QueryTerm, Scope, TextMatches, type_of
from mnemic.types import RECORD_TYPES, RecordType, SafeName

_LAST_RESORT = 20
# Times as many of the nearest are taken where a filter may drop most of them, or where a text may
# be wanted for something else than how well it fits.
_WIDE = 3


@dataclass(frozen=True)
class CandidateLists:
    """The documents of each route, best first."""

    lists: dict[str, list[int]] = field(default_factory=dict)
    text: TextMatches | None = None
    vector: VectorMatches | None = None
    total: int = 0  # records that an exact question is about, listed or not
    first: frozenset[int] = frozenset()  # those of the time that is asked about
    query: str = ""  # where the names in it were misspelled, as it was searched for
    cut: bool = False  # whether words or vectors have more candidates than were taken

    @cached_property
    def docs(self) -> list[int]:
        """Every document once."""
        return list(dict.fromkeys(doc for docs in self.lists.values() for doc in docs))

    @cached_property
    def _places(self) -> dict[str, dict[int, int]]:
        return {
            route: {doc: rank for rank, doc in enumerate(docs, 1)}
            for route, docs in self.lists.items()
        }

    def ranks(self, doc: int) -> list[int]:
        """The document's rank in each list that has it."""
        return [places[doc] for places in self._places.values() if doc in places]

    def routes(self, doc: int) -> tuple[str, ...]:
        """The routes that found the document; none for a neighbor of a candidate."""
        return tuple(route for route, places in self._places.items() if doc in places)


class CandidateSearch:
    """Searches by every route that the settings name."""

    def __init__(self, settings: Settings, vectors: VectorRoute | None) -> None:
        self._settings = settings.recall
        self._vectors = vectors
        # What is in every prompt is not searched for.
        self._beside_core = settings.upkeep.core_choice == "profile"
        # By its place among the others alone a small word would count as much as any.
        self._without_stop_words = settings.ranking.fusion != "learned"

    def search(self, attempts: Attempts, request: Request) -> CandidateLists:
        """Each route in turn; one that fails leaves its list empty."""
        lists: dict[str, list[int]] = {}
        total, first, cut = 0, frozenset[int](), False
        if self._settings.supplement_below and "partition" in self._settings.routes:
            partition = self._by_route(attempts, request, "partition")
            lists["partition"], cut = partition.docs, partition.cut
            if self._vectors is not None and len(lists["partition"]) == _PARTITION_CANDIDATES:
                nearest = attempts.run("vector", partial(self._of_large_partition, request))
                lists["partition"] = nearest or lists["partition"]
        enough = 0 < self._settings.supplement_below <= len(lists.get("partition", ()))
        outcome = attempts.run("text", partial(self._by_words, request))
        request, text = outcome or (request, None)
        # Where partitions come first, meaning chooses inside them and nowhere else; what no word
        # tells, it has to say whether anything fits.
        by_meaning = "partition" not in lists
        wanted = by_meaning or text is None or not text.matches
        vector = self._by_meaning(attempts, request, text) if wanted else None
        if text is not None and not enough:
            lists["text"] = [match.doc for match in text.matches]
            cut |= len(text.matches) >= self._settings.text_candidates * request.depth
        if vector is not None and by_meaning:
            wide = _WIDE if request.scope.narrow or request.asking.wide else 1
            most = self._settings.vector_candidates * wide * request.depth
            search = partial(self._nearest, attempts, request, vector, most)
            near = attempts.run_outside("vector", search)
            if near is None:
                vector = None
            else:
                lists["vector"] = near
                cut |= len(near) >= most
        if "slot" in self._settings.routes:
            text_docs = lists.get("text", ())
            answers = attempts.run("slot", lambda unit: answers_by_slot(request, text_docs, unit))
            lists["slot"] = answers or []
        for route in ROUTES:
            if route not in lists and route in self._settings.routes and applies(route, request):
                result = self._by_route(attempts, request, route)
                lists[route] = result.docs
                total = max(total, result.total)
                first |= frozenset(result.docs if result.first else ())
        if "recent" in lists and query_terms(request.query) and not asks_recent(request.query):
            # It speaks for what is found, and does not fill up what is not.
            others = {doc for name, docs in lists.items() if name != "recent" for doc in docs}
            lists["recent"] = [doc for doc in lists["recent"] if doc in others]
        if not any(lists.values()) and attempts.failures:
            return self.latest(attempts, request)
        if self._beside_core and not request.scope.words:
            lists = attempts.run("core", partial(_without_core, lists)) or lists
        filled = {name: docs for name, docs in lists.items() if docs}
        return CandidateLists(filled, text, vector, total, first, request.query, cut)

    def _by_route(self, attempts: Attempts, request: Request, route: str) -> RouteResult:
        search = partial(ROUTES[route], request, self._settings)
        return attempts.run(route, search) or RouteResult([])

    def _of_large_partition(self, request: Request, unit: Unit) -> list[int]:
        """Of a partition too large to be chosen from by importance, the nearest to the query."""
        docs = _partition(request, unit, _LARGE_PARTITION + 1)
        if self._vectors is None or len(docs) <= _LARGE_PARTITION:
            return []
        vector = self._vectors.search(unit, request.query)
        docs = _partition(request, unit, checks.MAX_ROWS)
        near = [] if vector is None else vector.among(docs, _PARTITION_CANDIDATES)
        return [match.doc for match in near if match.cosine >= near[0].cosine * _NEAR_ENOUGH]

    def latest(self, attempts: Attempts, request: Request) -> CandidateLists:
        """The newest records: better than nothing when every search has failed."""
        docs = attempts.run("latest", lambda unit: unit.text.latest(request.scope, _LAST_RESORT))
        return CandidateLists({"latest": docs} if docs else {})

    def _by_words(self, request: Request, unit: Unit) -> tuple[Request, TextMatches]:
        """The matches, and the request again with the names spelled as they are known here."""
        limit = self._settings.text_candidates * request.depth
        terms = enrich_terms(request.query, request.around, self._settings)
        if self._without_stop_words:
            topic = without_asking(request.query)
            keywords = enrich_terms(topic, request.around, self._settings)
            terms = [term for term in keywords if term.weight > STOP_WEIGHT] or terms
        matches = unit.text.search(terms, request.scope, limit)
        corrected = with_known_names(request, terms, matches, unit)
        if corrected is not request:
            terms = enrich_terms(corrected.query, corrected.around, self._settings)
            matches = unit.text.search(terms, corrected.scope, limit)
        return corrected, matches

    def _nearest(
        self, attempts: Attempts, request: Request, vector: VectorMatches, limit: int
    ) -> list[int]:
        """The nearest of the scope where those are few; else of all, some of them out of scope."""
        narrow = request.scope.narrow
        few = attempts.run("vector", lambda unit: unit.text.few(request.scope)) if narrow else None
        types = request.scope.types
        near = vector.nearest(types, limit) if few is None else vector.among(few, limit)
        return [match.doc for match in near]

    def _by_meaning(
        self, attempts: Attempts, request: Request, text: TextMatches | None
    ) -> VectorMatches | None:
        """A number that no text has is not there, however like it others look."""
        vectors = self._vectors
        if vectors is None:
            return None
        unknown = text is not None and not text.matches
        query = _WITH_DIGITS.sub(" ", request.query) if unknown else request.query
        return attempts.run("vector", lambda unit: vectors.search(unit, query))


_WITH_DIGITS = defer(r"[A-Za-z]*\d\w*")
_MOST_TERMS = 32  # of a query that is looked through for misspelled names


def with_known_names(
    request: Request, terms: Sequence[QueryTerm], matches: TextMatches, unit: Unit
) -> Request:
    """The request with misspelled names as the people known here are called.

    Only words that no text has are looked at: most queries have none.
    """
    unknown = {term.text for term in terms if term.weight >= WORD_WEIGHT and not term.form_of}
    unknown -= set(matches.words.values())
    if not unknown or len(terms) > _MOST_TERMS:
        return request
    words = {
        word for word in words_of(request.query) if unknown.issuperset(index_text(word).split())
    }
    query = respell(request.query, words, unit.text.names) if words else request.query
    return request if query == request.query else with_query(request, query)


_ENOUGH = 6  # content words of a query that needs no help
_MOST = 16  # words that are added, the latest first


def enrich_terms(query: str, around: Sequence[str], settings: RecallSettings) -> list[QueryTerm]:
    """The terms to search for: the query's own, then those of the turns before it.

    "And how long did that take?" says nothing by itself. The turns before it help, but their words
    count far less than the query's own, and not at all where it has enough.
    """
    terms = query_terms(query)
    direct = with_forms(terms)
    count = sum(term.weight >= WORD_WEIGHT for term in terms)
    if count >= _ENOUGH or not around:
        return direct
    texts = {term.text for term in direct}
    added: dict[str, QueryTerm] = {}
    for text in reversed(around[-settings.enrich_turns :]):
        for term in query_terms(text):
            if term.weight >= WORD_WEIGHT and term.text not in texts:
                added.setdefault(term.text, QueryTerm(term.text, term.weight * _WEIGHT))
    return [*direct, *list(added.values())[:_MOST]]


_EXACT_DEPTH = 200
_ONE_DAY = timedelta(days=1)
_FEW_OF_DAY = 10  # records of a day that all come before others, whatever else is asked of it
_ENTITY_CANDIDATES = 20  # as many as full text gives beside vectors
_PARTITION_CANDIDATES = 20  # as in document D §5.3
_NEAR_ENOUGH = 0.5  # of the nearest one's cosine: the rest is as near as any other
_LARGE_PARTITION = 500  # memories above which vectors choose, as in document D §4.3
_WEIGHT = 0.15  # of a word of the turns before, beside one of the query
_ABOUT: tuple[RecordType, ...] = ("memory", "episode")


class RouteResult(NamedTuple):
    """Documents, best first; ``total`` says how many there are where that was counted, ``first``
    that they come before all others, ``cut`` that a deeper search has more.
    """

    docs: list[int]
    total: int = 0
    first: bool = False
    cut: bool = False


Route = Callable[[Request, RecallSettings, Unit], RouteResult]


def by_time(request: Request, settings: RecallSettings, unit: Unit) -> RouteResult:
    """Records of the times that the query names: those with its words, and all others where it asks
    for whatever was then, or where they are few.
    """
    docs: list[int] = []
    every = True
    for time in request.times:
        scope = replace(request.scope, days=time.span)
        terms = query_terms(_without_times(request.query, request.times))
        keywords = with_forms([term for term in terms if term.weight > STOP_WEIGHT])
        matches = unit.text.search(keywords, scope, settings.text_candidates)
        docs += [match.doc for match in matches.matches]
        newest = unit.text.latest(scope, settings.text_candidates)
        few = len(newest) <= _FEW_OF_DAY and time.span.length <= _ONE_DAY
        if request.of_time or few or not matches.matches:
            docs += newest
        every &= request.of_time or few
    return RouteResult(list(dict.fromkeys(docs)), first=every)


def is_empty(unit: Unit, query: str, span: LocalSpan) -> bool:
    """Whether nothing was said, true or sent in a span, but for the query itself."""
    docs = unit.text.latest(Scope(RECORD_TYPES, days=span), 2)
    turns = unit.ledger.places([doc for doc in docs if type_of(doc) == "turn"])
    return len(docs) == sum(turn.text.strip() == query.strip() for turn in turns)


def _without_times(text: str, times: Sequence[NamedTime]) -> str:
    for time in times:
        text = text.replace(time.text, " ")
    return text


def by_exact_question(request: Request, settings: RecallSettings, unit: Unit) -> RouteResult:
    """Every record with all the words of an exact question's topic, in the order it asks for."""
    question = request.exact
    if question is None:
        return RouteResult([])
    if question.kind == "file":
        return RouteResult(_files(request, question, settings, unit))
    if question.kind == "count":
        return _count(request, question, unit)
    keywords = _telling_terms(query_terms(question.topic))
    if not keywords:
        return RouteResult([])
    docs, total = unit.text.holding(keywords, request.scope, _EXACT_DEPTH)
    if question.kind in ("latest", "earliest"):
        docs = unit.ledger.in_order(docs, newest_first=question.kind == "latest")
    return RouteResult(docs, total)


def _telling_terms(terms: Sequence[QueryTerm]) -> list[QueryTerm]:
    """The words of a topic, each with its forms."""
    empty = {term.text for term in terms if term.weight <= STOP_WEIGHT}
    return with_forms(
        [term for term in terms if term.weight >= WORD_WEIGHT and not _is_loose(term.text, empty)]
    )


def _count(request: Request, question: ExactQuestion, unit: Unit) -> RouteResult:
    """The records that a count is about. One of single characters (我写了几章) goes by these; a
    measure word that no record has is not asked for.
    """
    topic = _without_times(question.topic, request.times)
    terms = query_terms(topic)
    characters = [term for term in terms if term.weight == CHARACTER_WEIGHT]
    keywords = _telling_terms(terms) or characters
    result = _count_records(request, keywords, unit) if keywords else RouteResult([])
    has_measure = topic[-2:-1] == " "
    if not result.docs and keywords is characters and has_measure and len(characters) > 1:
        result = _count_records(request, characters[:-1], unit)
    return result


def _count_records(request: Request, keywords: Sequence[QueryTerm], unit: Unit) -> RouteResult:
    """The records of the times that the query names; a memory and its turn count as one."""
    scopes = [replace(request.scope, days=time.span) for time in request.times] or [request.scope]
    pages = [unit.text.holding(keywords, scope, _EXACT_DEPTH) for scope in scopes]
    docs = list(dict.fromkeys(doc for page, _ in pages for doc in page))
    total = sum(count - len(page) for page, count in pages) + len(docs)
    turns = [doc for doc in docs if type_of(doc) == "turn"]
    memories = [doc for doc in docs if type_of(doc) == "memory"]
    if not turns or not memories:
        return RouteResult(docs, total)
    counted = {id_ for _, id_ in unit.text.records(turns).values()}
    learned = unit.memories.by_id([id_ for _, id_ in unit.text.records(memories).values()])
    twice = [m for m in learned if any(source.turn_id in counted for source in m.sources)]
    return RouteResult(docs, total - len(twice))


def by_entity(request: Request, settings: RecallSettings, unit: Unit) -> RouteResult:
    """Memories and episodes about the entities of the query: people, projects, files, tools."""
    types = tuple(type_ for type_ in request.scope.types if type_ in _ABOUT)
    named = find_entities(request.query) if types else ()
    terms = {term.text: term for name in named for term in query_terms(name)}
    if not terms:
        return RouteResult([])
    scope = replace(request.scope, types=types)
    result = unit.text.search(list(terms.values()), scope, _ENTITY_CANDIDATES)
    return RouteResult([match.doc for match in result.matches])


def _is_loose(term: str, empty: set[str]) -> bool:
    """Whether a pair of characters is only a word and a particle beside it: 看了, 红的."""
    return has_dense_script(term) and any(character in empty for character in term)


def _files(
    request: Request, question: ExactQuestion, settings: RecallSettings, unit: Unit
) -> list[int]:
    if "attachment" not in request.scope.types:
        return []
    scope = replace(request.scope, types=("attachment",))
    result = unit.text.search(query_terms(question.topic), scope, settings.text_candidates)
    docs = [match.doc for match in result.matches]
    return docs or unit.text.latest(scope, settings.text_candidates)


def by_partition(request: Request, settings: RecallSettings, unit: Unit) -> RouteResult:
    """Memories of the query's project, and of no project, none of the core: those with words of
    the query, and the rest by importance. At first only as many as are usual, where some have any
    of its words, so that these are not outdone by what is more important.
    """
    docs = _partition(request, unit, _PARTITION_CANDIDATES)
    if len(docs) <= settings.limit:
        return RouteResult(docs)
    project = request.scope.project or find_project(unit, request.query)
    about = request.query.casefold().replace(project.casefold(), " ") if project else request.query
    terms = [term for term in query_terms(about) if term.weight > STOP_WEIGHT]
    scope = replace(request.scope, types=("memory",), project=None, within=project)
    matches = unit.text.search(with_forms(terms), scope, settings.text_candidates * request.depth)
    core = frozenset(unit.memories.core_among([match.doc for match in matches.matches]))
    matching = [match.doc for match in matches.matches if match.doc not in core]
    chosen = list(dict.fromkeys([*matching, *docs]))
    few = matching and request.depth == 1 and not request.sure
    most = settings.limit if few else len(chosen)
    return RouteResult(chosen[:most], cut=len(chosen) > most)


def _partition(request: Request, unit: Unit, limit: int) -> list[int]:
    """The most important memories of the query's project, and of no project; none of the core."""
    if "memory" not in request.scope.types:
        return []
    project = request.scope.project or find_project(unit, request.query)
    return unit.memories.partition(project, limit)


def _without_core(lists: dict[str, list[int]], unit: Unit) -> dict[str, list[int]]:
    """Without what is in every prompt, unless nothing else was found."""
    memories = [doc for docs in lists.values() for doc in docs if type_of(doc) == "memory"]
    core = frozenset(unit.memories.core_among(memories) if memories else ())
    beside = {name: [doc for doc in docs if doc not in core] for name, docs in lists.items()}
    return beside if any(beside.values()) else lists


def find_project(unit: Unit, query: str) -> SafeName | None:
    """The project that a query names."""
    folded = query.lower()
    named = [name for name in unit.memories.projects() if name.lower() in folded]
    return max(named, key=len, default=None)


def by_recency(request: Request, settings: RecallSettings, unit: Unit) -> RouteResult:
    """Records of the last days, whatever their words."""
    since = request.now - settings.recent
    scope = replace(request.scope, since=max(since, request.scope.since or since))
    return RouteResult(unit.text.latest(scope, settings.text_candidates))


def applies(route: str, request: Request) -> bool:
    """Whether the query has what a route searches by."""
    return bool(request.times) if route == "time" else route != "exact" or bool(request.exact)


ROUTES: dict[str, Route] = {
    "time": by_time,
    "exact": by_exact_question,
    "entity": by_entity,
    "partition": by_partition,
    "recent": by_recency,
}
