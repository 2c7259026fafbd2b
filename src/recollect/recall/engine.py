"""Recall: find evidence for a query and say why each piece was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from recollect.clock import Clock
from recollect.errors import InvalidInput
from recollect.index.segment import query_terms
from recollect.recall.evidence import attachment_hit, memory_hit, turn_hit
from recollect.rules import intake
from recollect.rules.dates import maybe_moment
from recollect.store.base import Scope, Store, TextMatch, Unit
from recollect.types import RECORD_TYPES, Hit, RecordType, Why

MAX_HITS = 1_000
MAX_QUERY = 100_000


class Recall:
    """Answers queries over one space. Nothing here waits for a model or the network."""

    def __init__(self, store: Store, space: str, clock: Clock) -> None:
        self._store = store
        self._space = space
        self._clock = clock

    def recall(
        self,
        query: str,
        *,
        k: int = 10,
        of: Iterable[RecordType] = RECORD_TYPES,
        session: str | None = None,
        project: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        as_of: datetime | str | None = None,
    ) -> list[Hit]:
        """The ``k`` best pieces of evidence, best first."""
        intake.check_text(query, "query", MAX_QUERY)
        intake.check_count(k, "k", MAX_HITS)
        scope = Scope(
            types=_types(of),
            session=session,
            project=project,
            since=maybe_moment(since, "since"),
            until=maybe_moment(until, "until"),
            as_of=maybe_moment(as_of, "as_of"),
            now=self._clock.now(),
        )
        terms = query_terms(query)
        if not terms:
            return []
        with self._store.read(self._space) as unit:
            return _evidence(unit, unit.text.search(terms, scope, k))


def _types(of: Iterable[RecordType]) -> tuple[RecordType, ...]:
    wanted: tuple[RecordType, ...] = (of,) if isinstance(of, str) else tuple(of)  # type: ignore[assignment]
    if not wanted:
        raise InvalidInput("of is empty", remedy=f"Use some of {', '.join(RECORD_TYPES)}")
    return tuple(intake.check_choice(type_, RECORD_TYPES, "of") for type_ in dict.fromkeys(wanted))


def _evidence(unit: Unit, matches: Sequence[TextMatch]) -> list[Hit]:
    """Whole records for matches, in their order."""
    readers: dict[
        RecordType, Callable[[list[str]], Iterable[tuple[str, Callable[[float, Why], Hit]]]]
    ]
    readers = {
        "turn": lambda ids: ((t.id, turn_hit(t)) for t in unit.ledger.turns_by_id(ids)),
        "memory": lambda ids: ((m.id, memory_hit(m)) for m in unit.memories.by_id(ids)),
        "attachment": lambda ids: ((a.id, attachment_hit(a)) for a in unit.attachments.by_id(ids)),
    }
    makers: dict[str, Callable[[float, Why], Hit]] = {}
    for type_, read in readers.items():
        ids = [match.id for match in matches if match.type == type_]
        if ids:
            makers.update(read(ids))
    return [
        makers[match.id](match.score, Why(("text",), {"text": match.score}, match.terms))
        for match in matches
        if match.id in makers
    ]
