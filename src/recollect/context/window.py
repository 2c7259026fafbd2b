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

from recollect.context.parts import Drawn, DrawnKey
from recollect.errors import InvalidInput
from recollect.language.digest import digest
from recollect.language.exchanges import exchanges
from recollect.language.guard import DEFAULT, Guard
from recollect.language.tokens import TokenCounter, count_tokens
from recollect.language.truncation import cut_to_tokens
from recollect.locks import ForkSafeLock
from recollect.settings.recall import ShortTermSettings
from recollect.store.contract import Store
from recollect.store.rows import TurnFilter
from recollect.types import SafeName, Turn

Summarise = Callable[[Sequence[Turn]], str]

SESSIONS = 64  # So many conversations are held; of others the ledger is read again.
REBUILT = 10  # After a restart, so many times ``max_messages`` are looked back on.
_DRAWN = 2  # So many times ``max_messages`` turns are kept as they were written into prompts.
_SUMMARY_CHARS = 1_000
_SUMMARY_SHARE = 4  # The summary takes at most one part in so many of the window's tokens.


@dataclass(frozen=True, slots=True)
class Window:
    """The latest turns that fit, oldest first, and a summary of what was before them."""

    summary: str
    turns: tuple[Turn, ...]
    tokens: int
    drawn: dict[DrawnKey, Drawn] = field(default_factory=dict, compare=False, repr=False)


@dataclass(slots=True)
class _Held:
    """One session. ``seen`` counts its turns in the ledger; a summary has the index it ends at,
    ``costs`` what each turn costs by its id."""

    turns: list[Turn] = field(default_factory=list)
    costs: dict[str, int] = field(default_factory=dict)
    summaries: list[tuple[int, str]] = field(default_factory=list)
    seen: int = 0
    drawn: dict[DrawnKey, Drawn] = field(default_factory=dict)


def summarise_by_rule(turns: Sequence[Turn]) -> str:
    """What was asked and which tools were used, at once and without a model."""
    return digest(turns, _SUMMARY_CHARS)


class ShortTermMemory:
    """The conversations in progress of one space.

    ``summarise`` is called when a session overflows and must be quick; what a model makes of the
    same turns later is handed in with ``summarised``.
    """

    def __init__(
        self,
        store: Store,
        space: str,
        settings: ShortTermSettings,
        *,
        count: TokenCounter = count_tokens,
        summarise: Summarise = summarise_by_rule,
        guard: Guard = DEFAULT,
    ) -> None:
        self._store = store
        self._space = space
        self._settings = settings
        self._count = count
        self._summarise = summarise
        self._guard = guard
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._lock = ForkSafeLock()

    def recent(self, session: str, limit: int | None = None) -> tuple[Turn, ...]:
        """The latest turns, oldest first; a tool result never without its call."""
        most = self._settings.recent_limit if limit is None else limit
        return tuple(self._latest(self._synced(session), sys.maxsize, most)[0])

    def window(
        self, session: str, tokens: int | None = None, *, messages: int | None = None
    ) -> Window:
        """The latest turns, at most ``messages`` of them, that cost at most ``tokens`` together
        with a summary of everything before."""
        limit = self._settings.window_tokens if tokens is None else tokens
        if limit < 1:
            raise InvalidInput(f"a window of {limit} tokens", remedy="Give at least 1")
        held = self._synced(session)
        room = limit - limit // _SUMMARY_SHARE if held.summaries else limit
        kept, used = self._latest(held, room, messages)
        if len(kept) < len(held.turns) and not held.summaries:
            kept, used = self._latest(held, limit - limit // _SUMMARY_SHARE, messages)
        older = held.turns[: len(held.turns) - len(kept)]
        told = [text for _, text in held.summaries]
        told += [summarise_by_rule(older)] if older else []
        summary = self._summary(told, limit - used)
        return Window(summary, tuple(kept), used + self._count(summary), held.drawn)

    def _latest(self, held: _Held, room: int, messages: int | None) -> tuple[list[Turn], int]:
        """Turns from the newest back while they fit, and what they cost."""
        most = len(held.turns) if messages is None else messages
        kept: list[Turn] = []
        used = 0
        for group in reversed(exchanges(held.turns)):
            price = sum(held.costs[turn.id] for turn in group)
            if used + price > room or len(kept) + len(group) > most:
                break
            used += price
            kept[:0] = group
        while kept and kept[0].role == "tool":  # Its call was summed up before it came.
            used -= held.costs[kept.pop(0).id]
        return kept, used

    def summarised(self, session: str, upto: int, text: str) -> None:
        """Put ``text`` in the place of the summaries of all turns up to the index ``upto``."""
        with self._lock:
            held = self._held.get(self._guard.name(session, "session"))
            if held is None or not any(end <= upto for end, _ in held.summaries):
                return
            later = [(end, told) for end, told in held.summaries if end > upto]
            held.summaries = [(upto, text), *later]

    def clear(self, session: str | None = None) -> None:
        """Let go of one conversation, or of all; the ledger is not touched."""
        with self._lock:
            if session is None:
                self._held.clear()
            else:
                self._held.pop(self._guard.name(session, "session"), None)

    def _synced(self, named: str) -> _Held:
        """The session as the ledger has it now; a copy, so that others may go on."""
        session = self._guard.name(named, "session")
        with self._lock, self._store.read(self._space) as unit:
            info = unit.ledger.session(session)
            total = info.turns if info else 0
            held = self._held.get(session)
            if held is None or total < held.seen:
                held = _Held()
            new = self._newest(unit.ledger.turns, session, total - held.seen)
            if held.turns and new and new[0].index <= held.turns[-1].index:
                # A turn was put in before the ones that are known: begin again.
                held, new = _Held(), self._newest(unit.ledger.turns, session, total)
            for turn in new:
                held.turns.append(turn)
                held.costs[turn.id] = turn_tokens(turn, self._count)
                if len(held.turns) > self._settings.max_messages:
                    self._compact(held)
            held.seen = total
            self._held[session] = held
            self._held.move_to_end(session)
            while len(self._held) > SESSIONS:
                self._held.popitem(last=False)
            if len(held.drawn) > _DRAWN * self._settings.max_messages:
                held.drawn = {}
            return replace(
                held,
                turns=list(held.turns),
                costs=dict(held.costs),
                summaries=list(held.summaries),
            )

    def _summary(self, told: Sequence[str], room: int) -> str:
        """The latest summaries that fit; the newest one shortened where not even that does."""
        summary = ""
        for text in reversed(told):
            longer = f"{text}\n\n{summary}" if summary else text
            if self._count(longer) > room:
                return summary or cut_to_tokens(text, room, self._count)
            summary = longer
        return summary

    def _newest(
        self, read: Callable[[TurnFilter], list[Turn]], session: SafeName, wanted: int
    ) -> list[Turn]:
        """The latest turns, oldest first; of a very long conversation not all."""
        most = min(wanted, REBUILT * self._settings.max_messages)
        if most < 1:
            return []
        return read(TurnFilter(session=session, newest_first=True, limit=most))[::-1]

    def _compact(self, held: _Held) -> None:
        """The older share becomes a summary, as far as no tool call loses its result."""
        share = int(len(held.turns) * self._settings.compact_share)
        groups = exchanges(held.turns)
        older = len(groups[0])
        for group in groups[1:-1]:  # The last one may still wait for a result.
            if older + len(group) > share:
                break
            older += len(group)
        told = self._summarise(held.turns[:older])
        held.summaries.append((held.turns[older - 1].index, told))
        for turn in held.turns[:older]:
            del held.costs[turn.id]
        del held.turns[:older]
        room = self._settings.window_tokens // _SUMMARY_SHARE
        # Of what has been summed up, the oldest goes when it is more than a window will show.
        while len(held.summaries) > 1 and sum(self._count(t) for _, t in held.summaries) > room:
            del held.summaries[0]


def turn_tokens(turn: Turn, count: TokenCounter) -> int:
    """What a whole turn costs, its tool calls and results included."""
    said = (turn.content, *(f"{c.name} {dict(c.input)}" for c in turn.tool_calls))
    return sum(map(count, (*said, *(result.content for result in turn.tool_results))))
