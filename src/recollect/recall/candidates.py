"""Candidates from every route: words, meaning, time, what is recent, files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from recollect.recall.attempts import Attempts
from recollect.recall.enrichment import enriched_terms
from recollect.recall.request import Request
from recollect.recall.routes import OTHER_ROUTES, Routed, applies
from recollect.recall.vectors import VectorFound, VectorRoute
from recollect.settings.recall import RecallSettings
from recollect.store.contract import Unit
from recollect.store.rows import TextMatches
from recollect.types import RECORD_TYPES, RecordType

_LAST_RESORT = 20


@dataclass(frozen=True)
class Gathered:
    """What the routes found: one ranked list of documents each."""

    lists: dict[str, list[int]] = field(default_factory=dict)
    text: TextMatches | None = None
    vector: VectorFound | None = None
    trust: float = 0.0
    total: int = 0  # records that an exact question is about, listed or not

    @cached_property
    def docs(self) -> list[int]:
        """Every document once."""
        return list(dict.fromkeys(doc for found in self.lists.values() for doc in found))

    @cached_property
    def _places(self) -> dict[str, dict[int, int]]:
        return {
            route: {doc: rank for rank, doc in enumerate(found, 1)}
            for route, found in self.lists.items()
        }

    def ranks(self, doc: int) -> list[int]:
        """Its rank in each list that has it."""
        return [places[doc] for places in self._places.values() if doc in places]

    def routes(self, doc: int) -> tuple[str, ...]:
        """The routes that found it; none for a neighbour of what was found."""
        return tuple(route for route, places in self._places.items() if doc in places)


class CandidateSearch:
    """Asks every route that the settings name."""

    def __init__(self, settings: RecallSettings, vectors: VectorRoute | None) -> None:
        self._settings = settings
        self._vectors = vectors

    def gather(self, attempts: Attempts, request: Request) -> Gathered:
        """Each route in turn; one that fails leaves its list empty."""
        lists: dict[str, list[int]] = {}
        total = 0
        if self._settings.supplement_below and "partition" in self._settings.routes:
            lists["partition"] = self._others(attempts, request, "partition").docs
        enough = 0 < self._settings.supplement_below <= len(lists.get("partition", ()))
        trust = self._vectors.trust(request.query) if self._vectors else 0.0
        words = partial(self._by_words, request, beside_vectors=trust > 0)
        text = None if enough else attempts.run("text", words)
        vector = self._by_meaning(attempts, request, text) if trust else None
        if text is not None:
            lists["text"] = [match.doc for match in text.matches]
        if vector is not None:
            lists["vector"] = self._nearest(attempts, request, vector)
        for route in OTHER_ROUTES:
            if route not in lists and route in self._settings.routes and applies(route, request):
                found = self._others(attempts, request, route)
                lists[route] = found.docs
                total = max(total, found.total)
        if not any(lists.values()) and attempts.failures:
            return self.latest(attempts, request)
        filled = {name: docs for name, docs in lists.items() if docs}
        return Gathered(filled, text, vector, trust, total)

    def _others(self, attempts: Attempts, request: Request, route: str) -> Routed:
        search = OTHER_ROUTES[route]
        return attempts.run(route, partial(search, request, self._settings)) or Routed([])

    def latest(
        self, attempts: Attempts, request: Request, types: tuple[RecordType, ...] = RECORD_TYPES
    ) -> Gathered:
        """What is newest: better than nothing, when nothing that searches is left."""
        wanted = tuple(type_ for type_ in request.scope.types if type_ in types)
        scope = replace(request.scope, types=wanted)
        docs = attempts.run("latest", lambda unit: unit.text.latest(scope, _LAST_RESORT))
        return Gathered({"latest": docs} if docs else {})

    def _wanted(self, request: Request, usual: int, wide: int) -> int:
        """How many candidates a route is to give: more where what it finds may be out of scope, or
        wanted for something else than what the route goes by.
        """
        least = wide if request.scope.narrow or request.asking.wide else usual
        return max(least, self._settings.oversample * request.k)

    def _by_words(self, request: Request, unit: Unit, *, beside_vectors: bool) -> TextMatches:
        terms = enriched_terms(request.query, request.around, self._settings)
        alone = self._settings.text_candidates
        usual = self._settings.shared_candidates if beside_vectors else alone
        return unit.text.search(terms, request.scope, self._wanted(request, usual, alone))

    def _nearest(self, attempts: Attempts, request: Request, vector: VectorFound) -> list[int]:
        """The nearest of the scope where those are few; else of all, some of them out of scope."""
        wanted = self._wanted(
            request, self._settings.vector_candidates, self._settings.wide_candidates
        )
        narrow = request.scope.narrow
        few = attempts.run("vector", lambda unit: unit.text.few(request.scope)) if narrow else None
        if few is None:
            near = vector.nearest(request.scope.types, wanted)
        else:
            near = vector.among(few, wanted)
        return [found.doc for found in near]

    def _by_meaning(
        self, attempts: Attempts, request: Request, text: TextMatches | None
    ) -> VectorFound | None:
        vectors = self._vectors
        if vectors is None:
            return None
        return attempts.run("vector", lambda unit: vectors.search(unit, request.query, text))
