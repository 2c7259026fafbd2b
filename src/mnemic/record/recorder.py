"""Recording: a turn, its index row, its files and its follow-up jobs in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from mnemic.errors import InvalidInput
from mnemic.ids import new_ids
from mnemic.index.batches import index_many
from mnemic.index.embedding_job import ask_vectors
from mnemic.index.segment import IndexTerms, index_terms
from mnemic.language.dates.moments import moment
from mnemic.language.guard import Guard
from mnemic.language.tokens import count_tokens
from mnemic.language.truncation import two_ends
from mnemic.record import daily_events, transcripts, triggers
from mnemic.record.attachments import drop_unwritten_files, note_written_files
from mnemic.record.triggers import Watcher
from mnemic.rules import checks
from mnemic.rules.speakers import voice_of
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.store.rows import Placed, TurnRow
from mnemic.types import (
    EMPTY,
    ROLES,
    TRUSTS,
    NewTurn,
    Recorded,
    SafeCall,
    SafeMetadata,
    SafeName,
    SafeResult,
    SafeText,
    ToolCall,
    ToolResult,
    Turn,
    no_metadata,
)

INDEXED_HEAD = 200_000  # characters of a turn that are found by their words
INDEXED_TAIL = 50_000


class _Names(NamedTuple):
    """Where a turn belongs, who said it, and what the host keeps with it."""

    session: SafeName
    sender: SafeName
    channel: SafeName
    metadata: SafeMetadata | None


_Tools = tuple[tuple[SafeCall, ...], tuple[SafeResult, ...]]
_NO_TOOLS: _Tools = ((), ())


def accept_turn(new: NewTurn, now: datetime, guard: Guard) -> TurnRow:
    """The row for a turn, or InvalidInput that says what to change."""
    return accept_turns([new], now, guard)[0]


def accept_turns(news: Sequence[NewTurn], now: datetime, guard: Guard) -> list[TurnRow]:
    """The rows for turns, or InvalidInput that says what to change."""
    drafts, texts = [], []
    for new in news:
        names, tools = _names(new, guard), _tools(new, guard)
        content = guard.text(new.text, "text")
        if tools is not _NO_TOOLS:
            _check_size(content, tools, guard.characters)
        drafts.append((new, names, content, tools))
        texts.append(_join_texts(names.sender, content, *tools))
    rows = []
    numbered = zip(drafts, new_ids(now, len(news)), index_many(texts), strict=True)
    for (new, names, content, (calls, results)), id_, indexed in numbered:
        tokens = count_tokens(content)
        voice = voice_of(new.role, names.sender, new.trust, guard.owners)
        row = TurnRow(
            id_,
            names.session,
            new.index,
            new.role,
            content,
            calls,
            results,
            now if new.at is None else moment(new.at),
            tokens + _tool_tokens(calls, results) if calls or results else tokens,
            names.channel,
            names.sender,
            voice.trust,
            *indexed,
            voice.claim,
            names.metadata,
        )
        rows.append(row)
    return rows


def _names(new: NewTurn, guard: Guard) -> _Names:
    """The names of a turn, once everything about it but its texts and tools was checked."""
    if not isinstance(new, NewTurn):
        raise InvalidInput(
            f"a turn is a {type(new).__name__}", remedy="Pass mnemic.NewTurn(session, role, text)"
        )
    if new.role not in ROLES:
        checks.check_choice(new.role, ROLES, "role")
    if new.index is not None:
        checks.check_index(new.index)
    if new.trust is not None:
        checks.check_choice(new.trust, TRUSTS, "trust")
    return _Names(
        guard.name(new.session, "session"),
        guard.maybe_name(new.sender, "sender"),
        guard.maybe_name(new.channel, "channel"),
        guard.metadata(new.metadata, guard.characters) if new.metadata else None,
    )


def turn_terms(
    sender: SafeName, content: SafeText, calls: Sequence[SafeCall], results: Sequence[SafeResult]
) -> IndexTerms:
    return index_terms(_join_texts(sender, content, calls, results))


def _join_texts(
    sender: SafeName, content: SafeText, calls: Sequence[SafeCall], results: Sequence[SafeResult]
) -> SafeText:
    """What a turn is found by: who said it, what was said, what its tools were told and said."""
    if not calls and not results:
        return _ends(SafeText(f"{sender}\n{content}") if sender else content)
    inputs = [f"{call.name} {_leaves(call.input)}" for call in calls]
    return _ends(SafeText("\n".join([sender, content, *inputs, *(r.content for r in results)])))


def _ends(text: SafeText) -> SafeText:
    """The part of a text that is indexed; the whole of it is stored."""
    return SafeText("\n".join(two_ends(text, INDEXED_HEAD, INDEXED_TAIL)))


def _tool_tokens(calls: Iterable[ToolCall], results: Iterable[ToolResult]) -> int:
    return sum(count_tokens(f"{c.name} {_leaves(c.input)}") for c in calls) + sum(
        count_tokens(r.content) for r in results
    )


def _tools(new: NewTurn, guard: Guard) -> _Tools:
    if not new.tool_calls and not new.tool_results:
        return _NO_TOOLS
    calls = tuple(_call(call, guard) for call in _limit(new.tool_calls, "tool_calls", guard))
    results = tuple(_result(r, guard) for r in _limit(new.tool_results, "tool_results", guard))
    return calls, results


def _check_size(content: str, tools: _Tools, limit: int) -> None:
    """All of a turn is indexed and counted together, so its parts share one limit."""
    calls, results = tools
    inputs = sum(len(_leaves(call.input)) for call in calls)
    size = len(content) + inputs + sum(len(result.content) for result in results)
    if size > limit:
        raise InvalidInput(
            f"a turn with its tool calls and results has {size:,} characters, more than {limit:,}",
            remedy="Record the results as turns of their own, or keep them as files with attach()",
        )


def _limit(values: Iterable[Any], name: str, guard: Guard) -> tuple[Any, ...]:
    listed = checks.check_several(values, name)
    if len(listed) > guard.tool_calls:
        raise InvalidInput(f"{len(listed):,} {name}", remedy=f"Give at most {guard.tool_calls}")
    return listed


def _call(call: ToolCall, guard: Guard) -> SafeCall:
    if not isinstance(call, ToolCall):
        raise InvalidInput(
            f"a tool call is a {type(call).__name__}",
            remedy="Pass mnemic.ToolCall(name, input, id)",
        )
    name = guard.name(call.name, "tool name")
    arguments = guard.json(call.input, f"the input of tool call {name!r}")
    return SafeCall(ToolCall(name, arguments, guard.maybe_name(call.id, "tool call id")))


def _result(result: ToolResult, guard: Guard) -> SafeResult:
    if not isinstance(result, ToolResult):
        raise InvalidInput(
            f"a tool result is a {type(result).__name__}",
            remedy="Pass mnemic.ToolResult(content, call_id, is_error)",
        )
    if not isinstance(result.is_error, bool):
        raise InvalidInput(f"is_error={result.is_error!r}", remedy="Pass True or False")
    content = guard.text(result.content, "tool result")
    call_id = guard.maybe_name(result.call_id, "tool call id")
    return SafeResult(ToolResult(content, call_id, result.is_error))


def _leaves(value: Any) -> str:
    """The leaves of a JSON value as text: what a person would search for."""
    if isinstance(value, dict):
        return " ".join(f"{key} {_leaves(leaf)}" for key, leaf in value.items())
    if isinstance(value, list):
        return " ".join(map(_leaves, value))
    return "" if value is None else str(value)


BATCH = 2_000
_BATCH_CHARACTERS = 4_000_000
_REMEMBERED = 1_000  # sessions


@dataclass(frozen=True, slots=True)
class FollowUps:
    """What recording sets in motion."""

    transcripts: bool
    quiet_gap: timedelta | None
    digest_delay: timedelta
    watcher: Watcher
    disown: Callable[[Unit, SafeName, datetime], None]


class _Promise(NamedTuple):
    """A job that waits: since when, and until when."""

    made: datetime
    due: datetime


@dataclass(eq=False)
class Recorder:
    """Writes turns of one space."""

    space: Space
    follow_ups: FollowUps
    wake: Callable[[], None]
    _promised: dict[str, _Promise] = field(default_factory=dict)

    def record(self, new: NewTurn) -> Turn:
        """Durable when it returns. The same turn at the same index again changes nothing."""
        now = self.space.now()
        row = accept_turn(new, now, self.space.guard)
        with self.space.write() as unit:
            placed = unit.ledger.append([row])[0]
            if not placed.added:
                return unit.ledger.turn_at(row.session, placed.idx)
            if placed.external:
                row = row._replace(trust="external")
            if placed.disowned:
                self.follow_ups.disown(unit, row.session, now)
            promised = self._follow(unit, [row], now)
        self._keep(promised)
        self.wake()
        return _turn(row, placed)

    def hurry(self) -> None:
        """Have conversations learned from now that wait until nobody speaks."""
        with self.space.write() as unit:
            self.follow_ups.watcher.hurry(unit, self.space.now())

    def record_many(
        self, turns: Iterable[NewTurn], topics: Mapping[str, str] | None = None, project: str = ""
    ) -> Recorded:
        """In order and in batches; each batch is one transaction, safe to repeat after a crash."""
        from concurrent.futures import Future, ThreadPoolExecutor

        added = total = 0
        describe = self._make_describer(topics or {}, project)
        source = iter(turns)
        writing: Future[int] | None = None
        with ThreadPoolExecutor(1, "mnemic-record") as thread:
            try:
                while batch := _batch(source):
                    now = self.space.now()
                    rows = accept_turns(batch, now, self.space.guard)
                    total += len(rows)
                    before, writing = writing, None
                    added += 0 if before is None else before.result()
                    write = partial(self._write, rows, now, describe)
                    if len(batch) < BATCH:
                        added += write()
                        continue
                    try:  # more may come, to be checked while this is written
                        writing = thread.submit(write)
                    except RuntimeError:  # no thread can be started, as while the interpreter ends
                        added += write()
            finally:  # what failed first is what the caller hears of
                added += 0 if writing is None else writing.result()
        if added:
            self.wake()
        return Recorded(added=added, known=total - added)

    def _make_describer(
        self, topics: Mapping[str, str], project: str
    ) -> Callable[[Unit, Sequence[TurnRow], datetime], None]:
        """Sets what the sessions of rows are about, each once."""
        about = self.space.guard.maybe_name(project, "project")
        topic_of = {
            self.space.guard.name(session, "session"): self.space.guard.maybe_name(topic, "topic")
            for session, topic in topics.items()
        }
        described: set[SafeName] = set()

        def describe(unit: Unit, rows: Sequence[TurnRow], now: datetime) -> None:
            for session in {row.session for row in rows} if about or topic_of else ():
                topic = topic_of.get(session, EMPTY)
                if (about or topic) and session not in described:
                    described.add(session)
                    unit.ledger.open_session(session, about, topic, now)

        return describe

    def _write(
        self,
        rows: Sequence[TurnRow],
        now: datetime,
        describe: Callable[[Unit, Sequence[TurnRow], datetime], None],
    ) -> int:
        """How many of the rows are new, once they are on disk."""
        with self.space.write() as unit:
            fresh, promised = self.record_rows(unit, rows, now)
            describe(unit, rows, now)
        self._keep(promised)
        return len(fresh)

    def record_rows(
        self, unit: Unit, rows: Sequence[TurnRow], now: datetime
    ) -> tuple[Sequence[TurnRow], dict[str, _Promise]]:
        """Checked rows, with what they set in motion, in a transaction of the caller's; those that
        are new, and which sessions will be looked at.
        """
        placed = unit.ledger.append(rows)
        fresh = [
            row._replace(trust="external") if place.external else row
            for row, place in zip(rows, placed, strict=True)
            if place.added
        ]
        disowned = (r.session for r, place in zip(rows, placed, strict=True) if place.disowned)
        for session in dict.fromkeys(disowned):
            self.follow_ups.disown(unit, session, now)
        return fresh, self._follow(unit, fresh, now)

    def _follow(self, unit: Unit, fresh: Sequence[TurnRow], now: datetime) -> dict[str, _Promise]:
        """Queue what the turns set in motion; says which sessions will be looked at, and when."""
        for row in fresh:
            if row.tool_calls:
                note_written_files(unit, row, self.space.guard)
            elif any(result.is_error for result in row.tool_results):
                drop_unwritten_files(unit, row, self.space.guard)
        if fresh:
            ask_vectors(unit, now)
            self.follow_ups.watcher.watch(unit, fresh, now)
        gap = self.follow_ups.quiet_gap
        sessions = dict.fromkeys(row.session for row in fresh)
        if self.follow_ups.transcripts:
            triggers.queue_sessions(unit, transcripts.KIND, sessions, now=now)
        if gap is None:
            return {}
        new = [session for session in sessions if not self._is_promised(session, now)]
        if not new:
            return {}
        promise = _Promise(now, now + gap)
        digest_at = promise.due + self.follow_ups.digest_delay
        triggers.queue_sessions(unit, daily_events.KIND, new, now=now, run_at=digest_at)
        triggers.queue(unit, new, now=now, run_at=promise.due, quiet=True)
        return dict.fromkeys(new, promise)

    def _is_promised(self, session: str, now: datetime) -> bool:
        """Whether this process has queued a look at the session that cannot have run yet."""
        promise = self._promised.get(session)
        return promise is not None and promise.made <= now < promise.due

    def _keep(self, promised: dict[str, _Promise]) -> None:
        if len(self._promised) > _REMEMBERED:
            self._promised.clear()
        self._promised.update(promised)


def _batch(source: Iterator[NewTurn]) -> list[NewTurn]:
    """The next turns that are written together: so many, or fewer where they are long."""
    batch: list[NewTurn] = []
    characters = 0
    for new in islice(source, BATCH):
        batch.append(new)
        characters += len(new.text) if isinstance(getattr(new, "text", None), str) else 0
        if characters > _BATCH_CHARACTERS:
            break
    return batch


def _turn(row: TurnRow, placed: Placed) -> Turn:
    return Turn(
        row.id,
        row.session,
        placed.idx,
        row.role,
        row.text,
        row.at,
        row.sender,
        row.channel,
        row.tool_calls,
        row.tool_results,
        row.tokens,
        row.trust,
        metadata=row.metadata or no_metadata(),
    )
