"""What answers the questions of a bank: the engine, and plain baselines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from bench.banks import Item
from bench.bare import BareFts5, Tokenizer
from bench.dense import Dense
from bench.minds import bench_mind
from bench.words import is_stop, pairs
from mnemic.clock import Clock
from mnemic.recall.features import Floats
from mnemic.recall.request import read_request
from mnemic.types import ROLES, Hit, NewTurn, RecordType, Role, Source

_MEMORY = ":memory:"


class Retriever(Protocol):
    """One fresh memory. A baseline of any kind, such as a dense one, has these three methods."""

    def add(self, items: Sequence[Item]) -> None: ...
    def search(self, query: str, k: int) -> list[str]: ...
    def close(self) -> None: ...


class Mnemic:
    """The engine through its public doors, with what vectors there are."""

    def __init__(
        self,
        preset: str = "default",
        settings: Mapping[str, Any] | None = None,
        clock: Clock | None = None,
        *,
        target: str = _MEMORY,
        space: str = "default",
    ) -> None:
        self.mind = bench_mind(target, settings or {}, preset, clock, space=space)
        self._ids: dict[tuple[str, int | None], str] = {}
        self._next: Counter[str] = Counter()
        self._turns: dict[str, str] = {}

    def add(self, items: Sequence[Item]) -> None:
        self.mind.record_many([self._turn(item) for item in items])
        self._turns = {}
        self.mind.drain()

    def search(self, query: str, k: int) -> list[str]:
        return self.ids(self.mind.recall(query, limit=k, of=["turn"]))

    def ids(self, hits: Iterable[Hit]) -> list[str]:
        """The items that were found."""
        return [self._ids[hit.session, hit.index] for hit in hits]

    def pool(
        self, query: str, types: Sequence[RecordType]
    ) -> tuple[list[Hit], Mapping[str, Floats], bool]:
        """Every candidate of a query with its features, and whether it asks for a whole course."""
        mind = self.mind
        request = read_request(
            query, limit=10, min_score=0.0, of=types, now=mind._clock.now(), guard=mind._guard
        )
        return *mind._services.recall.pool(request), request.asking.of_whole

    def items_of(self, sources: Iterable[Source]) -> frozenset[str]:
        """The items that a record was made of."""
        found = (self._ids.get((source.session, source.index)) for source in sources)
        return frozenset(item for item in found if item is not None)

    def item_of_turn(self, id_: str) -> str | None:
        """The item that was recorded as this turn, if it is one."""
        if not self._turns:
            turns = self.mind.turns(limit=len(self._ids) or 1)
            self._turns = {turn.id: self._ids[turn.session, turn.index] for turn in turns}
        return self._turns.get(id_)

    def close(self) -> None:
        self.mind.close()

    def _turn(self, item: Item) -> NewTurn:
        session = item.session or "bank"
        index = self._next[session]
        self._next[session] += 1
        self._ids[session, index] = item.id
        return NewTurn(
            session=session,
            role=_role(item.speaker),
            text=item.text,
            sender=item.speaker,
            at=item.timestamp or None,
            index=index,
        )


def _role(speaker: str) -> Role:
    return next((role for role in ROLES if role == speaker.lower()), "user")


class Grep:
    """Texts by how many words of the query they hold anywhere, the later text first."""

    def __init__(self) -> None:
        self._items: list[tuple[str, str]] = []

    def add(self, items: Sequence[Item]) -> None:
        self._items += [(item.id, shown(item).lower()) for item in items]

    def search(self, query: str, k: int) -> list[str]:
        words = [word for word in pairs(query) if not is_stop(word)]
        found = [(sum(w in text for w in words), place, id_)
                 for place, (id_, text) in enumerate(self._items)]  # fmt: skip
        found.sort(reverse=True)
        return [id_ for count, _, id_ in found[:k] if count]

    def close(self) -> None:
        self._items.clear()


class Fts5:
    """Bare FTS5 with its own BM25, any word of the query."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._bare = BareFts5(_MEMORY, tokenizer)
        self._ids: list[str] = []

    def add(self, items: Sequence[Item]) -> None:
        self._bare.add([(shown(item),) for item in items])
        self._ids += [item.id for item in items]

    def search(self, query: str, k: int) -> list[str]:
        return [self._ids[row - 1] for row, _ in self._bare.search(self._bare.match(query), k)]

    def close(self) -> None:
        self._bare.close()


def shown(item: Item) -> str:
    """An item as the baselines index it."""
    return f"{item.speaker}: {item.text}" if item.speaker else item.text


OURS = "mnemic"
BASELINES: dict[str, Callable[[], Retriever]] = {
    "grep": Grep,
    "fts5": lambda: Fts5("unicode61"),
    "fts5-trigram": lambda: Fts5("trigram"),
    "dense": Dense,
}
RETRIEVERS: dict[str, Callable[[], Retriever]] = {OURS: Mnemic, **BASELINES}
