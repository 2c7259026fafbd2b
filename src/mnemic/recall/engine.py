"""Recall: find evidence for a query and say why each piece was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from mnemic.days import LocalSpan, Zone, day_of
from mnemic.errors import MissingExtra
from mnemic.language.dates.reader import find_times
from mnemic.language.exact import asks
from mnemic.language.gate import Verdict, wants_memory
from mnemic.language.query_intent import asks_of_past
from mnemic.late import dataclass, np
from mnemic.locks import ForkSafeLock
from mnemic.providers.rerank import OnnxReranker, Passage, fuse, share
from mnemic.recall.attempts import Attempts
from mnemic.recall.candidates import CandidateLists, CandidateSearch, is_empty
from mnemic.recall.evidence import as_hits, without_outdated
from mnemic.recall.features import Floats
from mnemic.recall.ranker import RankedRecord, load_records, ranker_for
from mnemic.recall.relevance import candidate_pool
from mnemic.recall.request import Request, read_request
from mnemic.recall.vectors import VectorRoute
from mnemic.settings.logs import log_of
from mnemic.settings.recall import RecallSettings
from mnemic.space import Space
from mnemic.types import Hit, SafeName, Why

_DEPTHS = (1, 3, 9, 36)  # times the usual candidates: the last is enough for the most hits
_TIMES = frozenset(("since", "until", "as_of", "known_at"))  # what may be given without a zone


@dataclass(slots=True, eq=False)
class Touches:
    """Uses of the records of one space that are not written yet."""

    space: Space
    _waiting: dict[str, tuple[int, datetime]] = field(default_factory=dict)
    _guard: ForkSafeLock = field(init=False)

    def __post_init__(self) -> None:
        # Uses counted before a fork are written by the parent.
        self._guard = ForkSafeLock(forked=self._waiting.clear)

    def add(self, ids: Sequence[str], at: datetime) -> None:
        """Count a use of these records."""
        if not ids or not self.space.settings.recall.touch or self.space.store.read_only:
            return
        with self._guard:
            for id_ in ids:
                count, _ = self._waiting.get(id_, (0, at))
                self._waiting[id_] = (count + 1, at)

    def flush(self) -> None:
        """Write the counts to the store."""
        with self._guard:
            waiting = self._waiting.copy()
            self._waiting.clear()
        if waiting:
            with self.space.write() as unit:
                for id_, (count, at) in waiting.items():
                    unit.memories.touch(id_, count, at)
                    unit.episodes.touch(id_, count)


class Recall:
    """Answers queries over one space.

    A failure of one route does not reach the caller; an error is raised when nothing could be read.
    """

    def __init__(
        self,
        space: Space,
        *,
        vectors: VectorRoute | None,
        touches: Touches,
        fault: MissingExtra | None = None,
    ) -> None:
        """``fault``: why another vector engine stands in; the first recall leaves its event."""
        self._space, self._fault, self._touches = space, fault, touches
        self._configured_zone = space.settings.schedule.zone
        self._latest: tuple[str, Request | None] = "", None
        self._candidates = CandidateSearch(space.settings, vectors)
        self._ranker = ranker_for(space.settings)
        self._reranker = reranker_for(space.settings.recall)
        self._log = log_of(space.settings)
        self.failure = ""

    def project_meant(self, query: str, project: SafeName) -> SafeName | None:
        """The project of a session, unless the query names another one."""
        with self._space.read() as unit:
            others = [name.lower() for name in unit.memories.projects() if name != project]
        return None if any(name in query.lower() for name in others) else project

    def gate(self, message: str) -> Verdict:
        """Whether a message wants memory; the projects of this space count as known names."""
        gate = self._space.settings.gate
        if gate.mode in ("always", "on_demand"):
            return Verdict(gate.mode == "always", f"mode: {gate.mode}")
        with self._space.read() as unit:
            projects = unit.memories.projects()
        return wants_memory(message, gate, projects)

    def zone(self) -> Zone:
        """The zone of the days that a query names; the one that is set, where none can be read."""
        with Attempts(self._space) as attempts:
            zone = attempts.run("zone", self._space.zone)
        return zone or self._configured_zone

    def request(self, query: str, **details: Any) -> Request:
        """The query and what narrows it, checked, as of now. Only of one that names a time the zone
        is asked for.
        """
        space = self._space
        read = partial(read_request, query, now=space.now(), guard=space.guard, **details)
        request = read(zone=self._configured_zone)
        if request.times or request.asking.date or not _TIMES.isdisjoint(details):
            zone = self.zone()
            request = request if zone == self._configured_zone else read(zone=zone)
        self._latest = query, request
        return request

    def empty_times(self, query: str) -> list[LocalSpan]:
        """The days that a question is about on which nothing was recorded but itself."""
        asked, request = self._latest
        if request is None or asked != query:
            request = self.request(query)
        past = [t for t in request.times if t.span.of_days and t.span.since <= request.now]
        if not past or not asks(query):
            return []
        with Attempts(self._space) as attempts:
            empty = attempts.run("time", lambda unit: [is_empty(unit, query, t.span) for t in past])
        # An expression of two readings has records if one of them does.
        full = {time.text for time, nothing in zip(past, empty or (), strict=False) if not nothing}
        return [time.span for time in past if empty and time.text not in full]

    def recall(self, request: Request) -> list[Hit]:
        """The best pieces of evidence, best first; each counts as used."""
        hits = self.find(request)
        self.note_use(hits)
        return hits

    def find(self, request: Request) -> list[Hit]:
        """The best pieces of evidence, best first, of which not all may come to be shown."""
        with Attempts(self._space) as attempts:
            hits = self._search(attempts, request)
            if not hits and attempts.failures:
                hits = self._search_turns(attempts, request)
        unread = hits is None or attempts.all_failed or (not hits and attempts.has_lost("text"))
        if self._fault is not None:
            attempts.report("vector engine", self._fault)
            self._fault = None
        hits = [hit for hit in hits or () if hit.score >= request.min_score]
        if attempts.failures:
            attempts.note(self._log)
        self.failure = "; ".join(f"{route}: {why}" for route, why in attempts.failures.items())
        if unread:
            raise attempts.to_error()
        return hits

    def note_use(self, hits: Sequence[Hit]) -> None:
        """Count a use of the memories and episodes among what was shown."""
        used = [hit.id for hit in hits if hit.type in ("memory", "episode")]
        self._touches.add(used, self._space.now())

    def pool(self, request: Request) -> tuple[list[Hit], Mapping[str, Floats]]:
        """Every candidate of a query with its features, unranked: what the ranker is trained on."""
        with Attempts(self._space) as attempts:
            lists = self._candidates.search(attempts, request)
        if not lists.docs:
            return [], {}
        with self._space.read() as unit:
            pool = candidate_pool(unit, request, lists)
            docs = pool.around.docs
            records = load_records(unit, docs)
            why = Why((), {})
            ranked = [RankedRecord(doc, 0.0, why, records.get(doc)) for doc in docs]
            return as_hits(unit, ranked), pool.features

    def without_outdated(self, query: str, hits: Sequence[Hit]) -> Sequence[Hit]:
        """Hits without what no longer holds, unless the query is about the past."""
        has_conversation = any(hit.type in ("turn", "episode") for hit in hits)
        if not has_conversation or asks_of_past(query) or find_times(query, self._space.now()):
            return hits
        with Attempts(self._space) as attempts:
            current = attempts.run("holding", lambda unit: without_outdated(unit, hits))
        if attempts.failures:
            attempts.note(self._log)
        return hits if current is None else current

    def _search(self, attempts: Attempts, request: Request) -> list[Hit] | None:
        """The best hits of the usual candidates; where more are wanted, then those of many more.

        ``limit`` only decides where this ends, so that a few hits are the beginning of many.
        """
        hits: list[Hit] = []
        for depth in _DEPTHS:
            deeper = replace(request, depth=depth)
            lists = self._candidates.search(attempts, deeper)
            weighed = self._weigh(attempts, deeper, lists)
            if weighed is None and not hits:
                return None
            ids = {hit.id for hit in hits}
            least = hits[-1].score if hits else 1.0
            hits += [
                hit if hit.score <= least else replace(hit, score=least)
                for hit in weighed or ()
                if hit.id not in ids
            ]
            if len(hits) >= request.limit or not lists.cut or request.sure:
                break
        return hits[: request.limit]

    def _search_turns(self, attempts: Attempts, request: Request) -> list[Hit] | None:
        """What was said, where the table of memories or the index may not be readable."""
        if "turn" not in request.scope.types:
            return None
        turns = replace(request, scope=replace(request.scope, types=("turn",)))
        hits = self._search(attempts, turns)
        if hits:
            return hits
        latest = self._candidates.latest(attempts, turns)
        return self._weigh(attempts, turns, latest) if latest.docs else hits

    def _weigh(
        self, attempts: Attempts, request: Request, lists: CandidateLists
    ) -> list[Hit] | None:
        """Candidates as ranked evidence; None when ranking failed."""
        if not lists.docs:
            return []
        reranker = self._reranker if request.depth == 1 else None
        wide = replace(request, limit=max(request.limit, RERANKED)) if reranker else request
        rank = self._ranker.rank
        hits = attempts.run("rank", lambda unit: as_hits(unit, rank(unit, wide, lists)))
        if reranker is None or not hits:
            return hits
        if request.of_time:
            return hits[: request.limit]
        moved = attempts.run(
            "rerank", lambda unit: rerank(reranker, request.query, hits, RERANKED, request.zone)
        )
        return hits if moved is None else moved


PART = "cross-encoder"
RERANKED = 20  # candidates that a cross-encoder reads before the cut: more cost too much time
_WEIGHT = 0.5  # of the model, where the score itself counts as one


def reranker_for(settings: RecallSettings) -> OnnxReranker | None:
    """The reranker that the settings name, if any."""
    folder = settings.rerank_folder
    return OnnxReranker(Path(folder).expanduser()) if folder else None


def rerank(
    reranker: OnnxReranker, query: str, hits: Sequence[Hit], top: int, zone: Zone
) -> list[Hit]:
    """The first ``top`` hits in the order of their scores and the model together; then the others.

    The scores stay with their places, so that they still fall from the first to the last.
    """
    first = hits[:top]
    passages = [Passage(hit.text, hit.sender, day_of(hit.at, zone)) for hit in first]
    logits = reranker.judge(query, passages)
    strengths = fuse([hit.score for hit in first], logits, _WEIGHT)
    moved = [
        replace(first[at], score=first[place].score, why=_explain(first[at].why, logits[at]))
        for place, at in enumerate(np.argsort(-strengths, kind="stable"))
    ]
    return [*moved, *hits[top:]]


def _explain(why: Why, logit: float) -> Why:
    """``why`` with what the model says, where it judged."""
    return why if np.isnan(logit) else replace(why, parts={**why.parts, PART: share(logit)})
