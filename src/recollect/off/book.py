"""What was said while memory is off: written to the log of the day, read back for some days."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from recollect.clock import Clock
from recollect.documents.fallback.files import Folder
from recollect.documents.fallback.logs import Ended, Failed, Logs, Said
from recollect.errors import Conflict
from recollect.ids import new_id
from recollect.language.dates.moments import maybe_moment
from recollect.language.guard import MAX_SUMMARY, Guard
from recollect.off.keeper import PlainKeeper
from recollect.off.speech import as_trusted, shared_sessions
from recollect.off.unserved import Unserved
from recollect.record.accept import accept_turn
from recollect.rules import checks
from recollect.types import (
    EMPTY,
    ROLES,
    TURN_STATES,
    Event,
    Job,
    JobState,
    NewTurn,
    Recorded,
    Role,
    SafeName,
    SessionInfo,
    Stats,
    Turn,
    TurnState,
    key_of,
)


class PlainBook(Unserved):
    """The conversations of one folder; logs older than ``keep`` stay, and are not read."""

    def __init__(
        self,
        folder: Folder,
        space: str,
        keeper: PlainKeeper,
        *,
        clock: Clock,
        guard: Guard,
        keep: timedelta,
    ) -> None:
        self._folder = folder
        self._space = space
        self._keeper = keeper
        self._clock = clock
        self._guard = guard
        self._keep = keep
        self._logs = Logs(folder)
        self._opened: dict[SafeName, tuple[SafeName, SafeName]] = {}

    # --- writing --------------------------------------------------------------------------------

    def open_session(self, session: str, project: str, topic: str) -> SafeName:
        """A session is written down with its first turn."""
        id_ = self._guard.name(session, "session")
        about = self._guard.maybe_name(project, "project"), self._guard.maybe_name(topic, "topic")
        if project or topic:
            self._opened[id_] = about
        return id_

    def record(self, new: NewTurn) -> Turn:
        return self._record([new])[0][0]

    def record_many(self, turns: Iterable[NewTurn]) -> Recorded:
        done = self._record(list(turns))
        added = sum(fresh for _, fresh in done)
        return Recorded(added=added, known=len(done) - added)

    def _record(self, news: list[NewTurn]) -> list[tuple[Turn, bool]]:
        now = self._clock.now()
        rows = [accept_turn(new, now, self._guard) for new in news]
        done: list[tuple[Turn, bool]] = []
        fresh: list[Said] = []
        with self._folder.alone():
            known = self._places({row.session for row in rows})
            for row in rows:
                places = known[row.session]
                index = row.idx if row.idx is not None else max(places, default=-1) + 1
                turn = Turn(
                    id=row.id,
                    session=row.session,
                    index=index,
                    role=row.role,
                    content=row.content,
                    at=row.at,
                    sender=row.sender,
                    channel=row.channel,
                    tool_calls=row.tool_calls,
                    tool_results=row.tool_results,
                    tokens=row.tokens,
                    trust=row.trust,
                )
                there = places.get(index)
                if there is not None:
                    done.append((_same(there, turn), False))
                    continue
                project, topic = self._opened.get(row.session, (EMPTY, EMPTY))
                places[index] = turn
                fresh.append(Said(turn, project, topic, placed=row.idx is not None))
                shared = shared_sessions(places.values(), self._guard.owners)
                done.append((as_trusted(turn, shared, self._guard.owners), True))
            self._logs.append(now.date(), fresh)
        return done

    def _places(self, sessions: set[str]) -> dict[str, dict[int, Turn]]:
        """The turns of these sessions by index, from every log there is."""
        found: dict[str, dict[int, Turn]] = {session: {} for session in sessions}
        for entry in self._logs.entries():
            if isinstance(entry, Said) and entry.turn.session in sessions:
                found[entry.turn.session][entry.turn.index] = entry.turn
        return found

    def end(self, session: str) -> None:
        id_, now = self._guard.name(session, "session"), self._clock.now()
        with self._folder.alone():
            self._logs.append(now.date(), [Ended(id_, now)])

    def note_failure(self, where: str, error: str) -> Event:
        now = self._clock.now()
        told = self._guard.text(error, "error", MAX_SUMMARY)
        failed = Failed(new_id(now), self._guard.name(where, "where"), told, now)
        with self._folder.alone():
            self._logs.append(now.date(), [failed])
        return _event(failed)

    # --- reading --------------------------------------------------------------------------------

    def said(self) -> Iterator[Said]:
        """Every turn of the recent logs, in the order of writing."""
        entries = self._logs.entries(self._first_day())
        logged = [entry for entry in entries if isinstance(entry, Said)]
        owners = self._guard.owners
        shared = shared_sessions((entry.turn for entry in logged), owners)
        for entry in logged:
            yield replace(entry, turn=as_trusted(entry.turn, shared, owners))

    def turns(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        role: Role | None = None,
        tool: str | None = None,
        state: TurnState | None = None,
        newest_first: bool = False,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Turn]:
        checks.check_limit(limit)
        checks.check_offset(offset)
        session = self._guard.filter(session, "session")
        project = self._guard.filter(project, "project")
        tool = self._guard.filter(tool, "tool")
        if role is not None:
            checks.check_choice(role, ROLES, "role")
        if state is not None:
            checks.check_choice(state, TURN_STATES, "state")
        first, last = maybe_moment(since, "since"), maybe_moment(until, "until")
        found = [
            entry.turn
            for entry in self.said()
            if session in (None, entry.turn.session)
            and project in (None, entry.project)
            and role in (None, entry.turn.role)
            and state in (None, "new")
            and (tool is None or any(call.name == tool for call in entry.turn.tool_calls))
            and (first is None or entry.turn.at >= first)
            and (last is None or entry.turn.at < last)
        ]
        by_index = session is not None
        found.sort(
            key=lambda turn: (turn.index if by_index else turn.at.timestamp(), turn.id),
            reverse=newest_first,
        )
        return found[offset : offset + limit]

    def sessions(self, *, limit: int, offset: int) -> list[SessionInfo]:
        checks.check_limit(limit)
        return self._conversations()[checks.check_offset(offset) :][:limit]

    def _conversations(self) -> list[SessionInfo]:
        """The latest first."""
        found: dict[str, SessionInfo] = {}
        for entry in self._logs.entries(self._first_day()):
            if isinstance(entry, Said):
                known = found.pop(entry.turn.session, None)
                found[entry.turn.session] = _with_turn(known, entry)
            elif isinstance(entry, Ended) and entry.session in found:
                found[entry.session] = replace(found[entry.session], ended_at=entry.at)
        return sorted(found.values(), key=lambda info: info.last_at, reverse=True)

    def events(self, *, subject: str | None, type_: str | None, limit: int) -> list[Event]:
        """What failed, the latest first."""
        checks.check_limit(limit)
        entries = self._logs.entries(self._first_day())
        events = [_event(entry) for entry in entries if isinstance(entry, Failed)]
        return [
            event
            for event in reversed(events)
            if subject in (None, event.subject) and type_ in (None, event.type)
        ][:limit]

    def jobs(self, state: JobState | None, limit: int) -> list[Job]:
        """Nothing works in the background here."""
        return []

    def stats(
        self,
        *,
        worker_failure: str,
        recall_failure: str,
        unembedded: int,
        suspended: Sequence[str] = (),
    ) -> Stats:
        """The figures of what is read; everything older is in the files all the same."""
        turns = [said.turn for said in self.said()]
        files = [*self._folder.logs().values(), self._folder.notes]
        failures = self.events(subject=None, type_=None, limit=checks.MAX_ROWS)
        return Stats(
            space=self._space,
            turns=len(turns),
            sessions=len(self._conversations()),
            memories=len(self._keeper.current()),
            episodes=0,
            attachments=0,
            events=len(failures),
            turn_states={"new": len(turns)} if turns else {},
            jobs_ready=0,
            jobs_running=0,
            jobs_dead=0,
            first_at=min((turn.at for turn in turns), default=None),
            last_at=max((turn.at for turn in turns), default=None),
            file_bytes=sum(path.stat().st_size for path in files if path.exists()),
            schema=0,
            tokens=sum(turn.tokens for turn in turns),
            worker_failure=worker_failure,
            recall_failure=recall_failure,
            unembedded=unembedded,
            suspended=tuple(suspended),
        )

    def _first_day(self) -> date:
        """The day of the oldest log that is read; today's is always one of them."""
        return (self._clock.now() - self._keep).date() + timedelta(days=1)


def _same(there: Turn, new: Turn) -> Turn:
    told = (there.role, there.content, there.tool_calls, there.tool_results)
    if told != (new.role, new.content, new.tool_calls, new.tool_results):
        raise Conflict(
            f"Session {new.session!r} already has another turn at index {new.index}",
            remedy="Leave index out to append, or give the next free one",
        )
    return there


def _with_turn(known: SessionInfo | None, entry: Said) -> SessionInfo:
    turn = entry.turn
    if known is None:
        return SessionInfo(
            turn.session, entry.project, entry.topic, turn.at, turn.at, ended_at=None, turns=1
        )
    return replace(
        known,
        project=entry.project or known.project,
        topic=entry.topic or known.topic,
        last_at=max(known.last_at, turn.at),
        ended_at=None,
        turns=known.turns + 1,
    )


def _event(failed: Failed) -> Event:
    operation = key_of("host_fail", failed.id)
    return Event(
        failed.id, "host_fail", operation, failed.where, {"error": failed.error}, failed.at
    )
