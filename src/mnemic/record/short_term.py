"""Short-term memory: the running conversation of each session, in process.

The ledger has every turn; this holds the latest of each session and a summary of what was before,
so that a context can be built without reading a long conversation again. It is filled from the
ledger, so it is the same after a restart, and turns that other processes recorded are in it too.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mnemic.errors import InvalidInput
from mnemic.language.digest import digest
from mnemic.language.exchanges import exchanges
from mnemic.language.guard import DEFAULT, Guard
from mnemic.language.tokens import count_tokens
from mnemic.language.truncation import cut_to_tokens
from mnemic.locks import ForkSafeLock
from mnemic.settings.recall import ShortTermSettings
from mnemic.store.contract import Store, Unit
from mnemic.store.rows import TurnFilter
from mnemic.types import SafeName, Turn

Summarize = Callable[[Sequence[Turn]], str]

CLEARED = "session.cleared"
SESSIONS = 64  # So many conversations are buffered; others are read from the ledger again.
REBUILT = 10  # After a restart, so many times ``max_messages`` turns are read back.
_RENDERED = 2  # So many times ``max_messages`` rendered turns are cached.
_SUMMARY_CHARS = 1_000
_SUMMARY_SHARE = 4  # The summary takes at most one part in so many of the window's tokens.


@dataclass(frozen=True, slots=True)
class Window:
    """The latest turns that fit and a summary of those before; ``rendered`` caches prompts."""

    summary: str
    turns: tuple[Turn, ...]
    tokens: int
    rendered: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Overflow:
    """The turns of the latest summary by rule, and the index of the last of them."""

    turns: tuple[Turn, ...]
    upto: int


@dataclass(slots=True)
class _SessionBuffer:
    """One session. ``seen`` counts its turns in the ledger, ``costs`` has the tokens of each by id,
    a summary has the index of its last turn, and ``written`` are those that a model made."""

    turns: list[Turn] = field(default_factory=list)
    costs: dict[str, int] = field(default_factory=dict)
    summaries: list[tuple[int, str]] = field(default_factory=list)
    written: set[int] = field(default_factory=set)
    seen: int = 0
    rendered: dict[Any, Any] = field(default_factory=dict)


def summarize_by_rule(turns: Sequence[Turn]) -> str:
    """The questions and the tools of the turns, without a model."""
    return digest(turns, _SUMMARY_CHARS)


@dataclass(eq=False)
class ShortTermMemory:
    """The conversations in progress of one space.

    ``summarize`` is called when a session overflows and must be quick; a summary that a model makes
    later comes in through ``set_summary``.
    """

    store: Store
    space: str
    settings: ShortTermSettings
    summarize: Summarize = summarize_by_rule
    guard: Guard = DEFAULT
    _buffers: OrderedDict[str, _SessionBuffer] = field(default_factory=OrderedDict)
    _floors: dict[str, int] = field(default_factory=dict)
    _lock: ForkSafeLock = field(default_factory=ForkSafeLock)

    def recent(self, session: str, limit: int | None = None) -> tuple[Turn, ...]:
        """The latest turns, oldest first; a tool result never without its call."""
        most = self.settings.recent_limit if limit is None else limit
        return tuple(self._latest(self._sync(session), sys.maxsize, most)[0])

    def project_of(self, session: str) -> SafeName | None:
        """The project a conversation belongs to, if it does."""
        with self.store.read(self.space) as unit:
            info = unit.ledger.session(self.guard.name(session, "session"))
        return info.project or None if info is not None else None

    def window(
        self, session: str, tokens: int | None = None, *, messages: int | None = None
    ) -> Window:
        """At most ``messages`` latest turns that fit ``tokens`` with a summary of those before."""
        limit = self.settings.window_tokens if tokens is None else tokens
        if limit < 1:
            raise InvalidInput(f"a window of {limit} tokens", remedy="Give at least 1")
        buffer = self._sync(session)
        turn_limit = limit - limit // _SUMMARY_SHARE if buffer.summaries else limit
        turns, used = self._latest(buffer, turn_limit, messages)
        if len(turns) < len(buffer.turns) and not buffer.summaries:
            turns, used = self._latest(buffer, limit - limit // _SUMMARY_SHARE, messages)
        older = buffer.turns[: len(buffer.turns) - len(turns)]
        summaries = [text for _, text in buffer.summaries]
        summaries += [summarize_by_rule(older)] if older else []
        summary = self._summary(summaries, limit - used)
        return Window(summary, tuple(turns), used + count_tokens(summary), buffer.rendered)

    def _latest(
        self, buffer: _SessionBuffer, limit: int, messages: int | None
    ) -> tuple[list[Turn], int]:
        """Turns from the newest back while they fit, and what they cost."""
        most = len(buffer.turns) if messages is None else messages
        turns: list[Turn] = []
        used = 0
        for group in reversed(exchanges(buffer.turns)):
            price = sum(buffer.costs[turn.id] for turn in group)
            if used + price > limit or len(turns) + len(group) > most:
                break
            used += price
            turns[:0] = group
        while turns and turns[0].role == "tool":  # Its call is in the summary.
            used -= buffer.costs[turns.pop(0).id]
        return turns, used

    def overflow(self, session: str) -> Overflow | None:
        """What the latest summary is of; None where there is none, or a model has written it."""
        buffer = self._sync(session)
        ends = [-1, *(end for end, _ in buffer.summaries)]
        first, upto = ends[-2:] if len(ends) > 1 else (-1, -1)
        if upto < 0 or upto in buffer.written:
            return None
        first = max(first, upto - self.settings.max_messages)
        name = self.guard.name(session, "session")
        with self.store.read(self.space) as unit:
            most = buffer.turns[-1].index - first if buffer.turns else upto - first
            turns = unit.ledger.turns(TurnFilter(session=name, newest_first=True, limit=most))
        older = tuple(turn for turn in reversed(turns) if first < turn.index <= upto)
        return Overflow(older, upto) if older else None

    def clear_until(self, session: str, index: int) -> None:
        """Leave turns up to an index out from now on; the ledger is not touched."""
        with self._lock:
            self._floors[self.guard.name(session, "session")] = index
            self._buffers.pop(self.guard.name(session, "session"), None)

    def set_summary(self, session: str, upto: int, text: str) -> None:
        """Put ``text`` in the place of the summary of the turns up to the index ``upto``."""
        with self._lock:
            buffer = self._buffers.get(self.guard.name(session, "session"))
            if buffer is None or all(end != upto for end, _ in buffer.summaries):
                return
            buffer.summaries = [
                (end, text if end == upto else summary) for end, summary in buffer.summaries
            ]
            buffer.written.add(upto)

    def clear(self, session: str | None = None) -> None:
        """Drop the buffer of one conversation, or of all; the ledger is not touched."""
        with self._lock:
            if session is None:
                self._buffers.clear()
                self._floors.clear()
            else:
                self._buffers.pop(self.guard.name(session, "session"), None)

    def _sync(self, name: str) -> _SessionBuffer:
        """The session as the ledger has it now; a copy, so that other threads may go on."""
        session = self.guard.name(name, "session")
        with self._lock, self.store.read(self.space) as unit:
            info = unit.ledger.session(session)
            total = info.turns if info else 0
            buffer = self._buffers.get(session)
            if buffer is None or total < buffer.seen:
                buffer = _SessionBuffer()
                self._floors.setdefault(session, find_cleared_index(unit, session))
            new = self._newest(unit.ledger.turns, session, total - buffer.seen)
            if buffer.turns and new and new[0].index <= buffer.turns[-1].index:
                # A turn was inserted before the buffered ones: begin again.
                buffer, new = _SessionBuffer(), self._newest(unit.ledger.turns, session, total)
            floor = self._floors.get(session, -1)
            for turn in new:
                if turn.index <= floor:
                    continue
                buffer.turns.append(turn)
                buffer.costs[turn.id] = turn_tokens(turn)
                if len(buffer.turns) > self.settings.max_messages:
                    self._compact(buffer)
            buffer.seen = total
            self._buffers[session] = buffer
            self._buffers.move_to_end(session)
            while len(self._buffers) > SESSIONS:
                self._buffers.popitem(last=False)
            if len(buffer.rendered) > _RENDERED * self.settings.max_messages:
                buffer.rendered = {}
            return replace(
                buffer,
                turns=list(buffer.turns),
                costs=dict(buffer.costs),
                summaries=list(buffer.summaries),
            )

    def _summary(self, summaries: Sequence[str], limit: int) -> str:
        """The latest summaries that fit; the newest one shortened where not even that does."""
        summary = ""
        for text in reversed(summaries):
            longer = f"{text}\n\n{summary}" if summary else text
            if count_tokens(longer) > limit:
                return summary or cut_to_tokens(text, limit, count_tokens)
            summary = longer
        return summary

    def _newest(
        self, read: Callable[[TurnFilter], list[Turn]], session: SafeName, missing: int
    ) -> list[Turn]:
        """The latest turns, oldest first; of a very long conversation not all."""
        most = min(missing, REBUILT * self.settings.max_messages)
        if most < 1:
            return []
        return read(TurnFilter(session=session, newest_first=True, limit=most))[::-1]

    def _compact(self, buffer: _SessionBuffer) -> None:
        """Summarize the older share, without parting a tool call from its result."""
        share = int(len(buffer.turns) * self.settings.compact_share)
        groups = exchanges(buffer.turns)
        older = len(groups[0])
        for group in groups[1:-1]:  # The last one may still wait for a result.
            if older + len(group) > share:
                break
            older += len(group)
        summary = self.summarize(buffer.turns[:older])
        buffer.summaries.append((buffer.turns[older - 1].index, summary))
        for turn in buffer.turns[:older]:
            del buffer.costs[turn.id]
        del buffer.turns[:older]
        limit = self.settings.window_tokens // _SUMMARY_SHARE
        # Drop the oldest summaries when all together exceed what a window will show.
        costs = [count_tokens(text) for _, text in buffer.summaries]
        while len(costs) > 1 and sum(costs) > limit:
            del costs[0], buffer.summaries[0]


def find_cleared_index(unit: Unit, session: SafeName) -> int:
    """The index of the last turn that a host has cleared from short-term memory, or -1."""
    cleared = unit.journal.events(subject=session, type_=CLEARED, limit=1)
    upto = cleared[0].payload.get("upto") if cleared else None
    return upto if isinstance(upto, int) else -1


def turn_tokens(turn: Turn) -> int:
    """The tokens of a whole turn, its tool calls and results included."""
    texts = (turn.text, *(f"{c.name} {dict(c.input)}" for c in turn.tool_calls))
    return sum(map(count_tokens, (*texts, *(result.content for result in turn.tool_results))))
