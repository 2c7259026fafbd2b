"""The rooms of a mind on plain files: the same doors lead here while memory is switched off.

There is no database, not even an open file of one, and nothing learns: what was said is taken in
when memory is switched on again. A room or a method that is missing here raises MemoryOff.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import cast

from recollect.clock import Clock, monotonic_of
from recollect.context.build import Builder, Sources
from recollect.context.parts import Item, memory_item
from recollect.context.window import Window
from recollect.documents.fallback.files import Folder
from recollect.language.gate import Verdict, wants_memory
from recollect.language.guard import Guard
from recollect.learn.echo import Shown
from recollect.mind import Mind
from recollect.off.book import PlainBook
from recollect.off.keeper import PlainKeeper
from recollect.off.search import search
from recollect.off.unserved import Unserved
from recollect.providers.breaker import Circuits
from recollect.recall.request import Request, read_request
from recollect.rules.trust import trust_of
from recollect.settings import Settings
from recollect.store.base import Store
from recollect.types import (
    RECORD_TYPES,
    ROLES,
    Context,
    Drained,
    Finding,
    Hit,
    Memory,
    Receipt,
    Stats,
    Turn,
)
from recollect.wiring import Services


def plain_mind(folder: Folder, space: str, settings: Settings, clock: Clock, guard: Guard) -> Mind:
    """A mind whose doors lead to plain files."""
    rooms = PlainRooms(folder, space, settings, clock, guard)
    return Mind(cast("Store", _NoStore()), space, settings, clock, cast("Services", rooms))


class _NoStore(Unserved):
    """In the place of the database; nothing is held open."""

    def close(self) -> None: ...


class PlainRooms(Unserved):
    """Everything a mind leads to that plain files can do."""

    transcripts_folder = None
    documents_folder = None
    documents = None
    vectors = None
    model = None

    def flush(self) -> None: ...
    def close(self) -> None: ...

    def stats(self) -> Stats:
        return self.ledger.stats(worker_failure="", recall_failure="", unembedded=0)

    def __init__(
        self, folder: Folder, space: str, settings: Settings, clock: Clock, guard: Guard
    ) -> None:
        self.memories = PlainKeeper(folder, clock, guard)
        keep = settings.memory.fallback_logs
        book = PlainBook(folder, space, self.memories, clock=clock, guard=guard, keep=keep)
        self.ledger = self.recorder = self.session_ends = book
        self.recall = PlainRecall(book, self.memories, settings)
        self.context = Builder(_Sources(self, settings, clock, guard).all(), settings)
        self.pending = _EmptyInbox()
        self.doctor = _Doctor(folder)
        self.circuits = Circuits(monotonic_of(clock))
        self.injected = self.touches = self.use_log = self.worker = _Nobody()


class PlainRecall(Unserved):
    """Words found in the files."""

    failure = ""

    def __init__(self, book: PlainBook, keeper: PlainKeeper, settings: Settings) -> None:
        self._book = book
        self._keeper = keeper
        self._gate = settings.gate

    def recall(self, request: Request) -> list[Hit]:
        return search(request, self._keeper.current(), self._book.said())

    def gate(self, message: str) -> Verdict:
        if self._gate.mode != "gated":
            return Verdict(self._gate.mode == "always", f"mode: {self._gate.mode}")
        return wants_memory(message, self._gate, self._keeper.projects())


class _EmptyInbox(Unserved):
    """Nothing is proposed here, so nothing waits."""

    def offer(self, limit: int | None) -> list[Memory]:
        return []

    def waiting(self, *, limit: int, offset: int) -> list[Memory]:
        return []


class _Doctor(Unserved):
    """Says that memory is off."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def check(self, *, deep: bool, forgotten: Receipt | None) -> list[Finding]:
        told = f"memory is off; the plain files in {self._folder.path} answer"
        return [Finding("switch", ok=False, detail=told, remedy="Set memory.enabled = true")]


class _Nobody(Unserved):
    """In the place of the worker and of what it would write down: there is nothing to do."""

    failure = ""

    def add(self, session: str | None, shown: Iterable[Shown]) -> None: ...
    def add_hits(self, hits: Iterable[Hit]) -> None: ...
    def add_context(self, session: str | None, context: Context) -> None: ...
    def recalled(self, found: int) -> None: ...
    def composed(self, session: str | None, query: str, built: Context) -> None: ...
    def replied(self, turn: Turn) -> None: ...
    def flush(self) -> None: ...
    def run(self) -> None: ...
    def stop(self) -> None: ...

    def drain(self, timeout: timedelta | float | None) -> Drained:
        return Drained(0, 0, 0)


class _Sources:
    """Where a context comes from: the long-term file always, the logs when they are asked."""

    def __init__(self, rooms: PlainRooms, settings: Settings, clock: Clock, guard: Guard) -> None:
        self._guard = guard
        self._rooms = rooms
        self._settings = settings
        self._clock = clock

    def all(self) -> Sources:
        return Sources(
            gate=self._rooms.recall.gate,
            recall=self._find,
            without_outdated=lambda query, hits: hits,  # nothing is learnt here
            read=self._items,
            window=self._window,
            core=self._core,
            scratchpad=str,
            cards=dict,
        )

    def _find(self, query: str, *, k: int, persona: str | None, around: Sequence[str]) -> list[Hit]:
        now = self._clock.now()
        request = read_request(
            query,
            k=k,
            of=RECORD_TYPES,
            persona=persona,
            around=around,
            now=now,
            guard=self._guard,
        )
        return self._rooms.recall.recall(request)

    def _core(self) -> list[Memory]:
        known = self._rooms.memories.current()
        known.sort(key=lambda memory: memory.importance, reverse=True)
        return known[: self._settings.capacity.core]

    def _items(self, hits: Sequence[Hit]) -> list[Item]:
        memories: dict[str, Memory] = {
            memory.id: memory for memory in self._rooms.memories.current()
        }
        return [
            memory_item(memories[hit.id], hit.score) if hit.type == "memory" else _turn_item(hit)
            for hit in hits
        ]

    def _window(self, session: str, tokens: int, *, messages: int) -> Window:
        kept: list[Turn] = []
        used = 0
        for turn in self._rooms.ledger.turns(session=session, newest_first=True, limit=messages):
            if used + turn.tokens > tokens:
                break
            used += turn.tokens
            kept.insert(0, turn)
        while kept and kept[0].role == "tool":  # Its call is not in the window.
            used -= kept.pop(0).tokens
        return Window("", tuple(kept), used)


def _turn_item(hit: Hit) -> Item:
    role = next(role for role in ROLES if role == hit.role)
    source = f"{hit.session}#{hit.index}"
    said = f"turn of {hit.sender or hit.role}"
    return Item(hit.text, hit.id, hit.at, source, said, trust_of(role), hit.score)
