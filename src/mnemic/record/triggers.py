"""What sets off extraction while turns are recorded: each trigger is a setting and works alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from mnemic.language.requests import asks_to_remember
from mnemic.late import dataclass, field
from mnemic.rules.checks import MAX_ROWS
from mnemic.settings.learning import TriggerSettings
from mnemic.store.contract import Unit
from mnemic.store.rows import TurnRow
from mnemic.types import WAITING_SINCE, SafeName, constant, join_key, stamp

KIND = "extract"
SESSION_END = "session_end"
_QUIET = constant("quiet")
_NEAR = 0.9  # of the buffer: extraction starts before it is full
_REMEMBERED = 1_000  # sessions


def queue(
    unit: Unit,
    sessions: Iterable[SafeName],
    *,
    now: datetime,
    run_at: datetime | None = None,
    quiet: bool = False,
    waiting_since: datetime | None = None,
) -> None:
    """Extract from sessions; ``quiet`` waits on until nobody has spoken for a while.

    One job for each of the two ways, so that a waiting one does not hold back an urgent one.
    ``waiting_since``: a model is away, and they wait for it.
    """
    waits = {} if waiting_since is None else {WAITING_SINCE: stamp(waiting_since)}
    unit.tasks.enqueue(
        KIND,
        {
            join_key(session, _QUIET, by="\n") if quiet else session: {
                "session": session,
                "quiet": quiet,
                **waits,
            }
            for session in sessions
        },
        run_at=run_at,
        now=now,
    )


def queue_sessions(
    unit: Unit,
    kind: str,
    sessions: Iterable[SafeName],
    *,
    now: datetime,
    run_at: datetime | None = None,
) -> None:
    """A job of a kind for each session; one that waits stands for all that ask for it."""
    payloads = {session: {"session": session} for session in sessions}
    unit.tasks.enqueue(kind, payloads, run_at=run_at, now=now)


def talking_until(last_at: datetime, quiet: timedelta, now: datetime) -> datetime | None:
    """When to look again at a live conversation; None when it has been quiet for long enough."""
    return last_at + quiet if now - quiet < last_at <= now else None


OverflowListener = Callable[[Unit, SafeName, datetime], None]


@dataclass(slots=True, eq=False)
class Watcher:
    """Looks at each new turn of one space and says when it is time to learn."""

    settings: TriggerSettings
    # Called after so many turns of a conversation, for its summary.
    overflow: tuple[int, OverflowListener] | None = None
    _buffers: dict[SafeName, int] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)

    def watch(self, unit: Unit, rows: Sequence[TurnRow], now: datetime) -> None:
        """Queue an extraction where a trigger fires; in the transaction of the turns."""
        if self.overflow is not None:
            self._count(unit, rows, now, *self.overflow)
        due = {row.session for row in rows if self._fires(unit, row)}
        if self.settings.buffer_tokens:
            due |= self._full(unit, rows)
        if due:
            queue(unit, sorted(due), now=now)

    def hurry(self, unit: Unit, now: datetime) -> None:
        """Queue at once what waits for quiet, but not what waits for a model."""
        ready = unit.tasks.list_unfinished("ready", MAX_ROWS)
        ending = {job.key for job in ready if job.kind == SESSION_END}
        unread = set(unit.ledger.sessions_to_extract(MAX_ROWS)) - ending
        waiting = [
            session
            for job in ready
            if job.kind == KIND and job.payload["quiet"] and not job.error
            if (session := job.name_of("session")) in unread
        ]
        queue(unit, waiting, now=now)

    def _fires(self, unit: Unit, row: TurnRow) -> bool:
        if row.role != "user":
            return False
        if self.settings.on_request and asks_to_remember(row.text):
            return True
        if not self.settings.per_turn or len(row.text) < self.settings.per_turn_min_chars:
            return False
        most = self.settings.per_turn_max
        return not most or unit.ledger.count_prompt(row.session) <= most

    def _count(
        self,
        unit: Unit,
        rows: Sequence[TurnRow],
        now: datetime,
        most: int,
        overflows: OverflowListener,
    ) -> None:
        """A session that is not known yet may be long already."""
        if len(self._counts) > _REMEMBERED:
            self._counts.clear()
        for row in rows:
            self._counts[row.session] = self._counts.get(row.session, most) + 1
        for session in {row.session for row in rows if self._counts[row.session] > most}:
            self._counts[session] = 0
            overflows(unit, session, now)

    def _full(self, unit: Unit, rows: Sequence[TurnRow]) -> set[SafeName]:
        """Sessions whose unextracted turns near the buffer's size; asks the ledger only then."""
        if len(self._buffers) > _REMEMBERED:
            self._buffers.clear()
        near = _NEAR * self.settings.buffer_tokens
        added: dict[SafeName, int] = {}
        for row in rows:
            added[row.session] = added.get(row.session, 0) + row.tokens
        to_count: list[SafeName] = []
        for session, tokens in added.items():
            total = self._buffers.get(session, near) + tokens
            if total < near:
                self._buffers[session] = int(total)
            else:
                to_count.append(session)
        waiting = unit.ledger.waiting_tokens(to_count) if to_count else {}
        full = {session for session, tokens in waiting.items() if tokens >= near}
        self._buffers.update(waiting | dict.fromkeys(full, 0))
        return full
