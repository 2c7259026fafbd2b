"""Raw turns for a model: from the database, else from the host's traces, else from JSONL copies.

Files are read by the reader of `mnemic import`, so messages of OpenAI and Anthropic are
understood, and ranked like turns of the database: by a mind that lives in memory for one search.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from mnemic.engine.mind import Mind
from mnemic.engine.open import open as open_mind
from mnemic.errors import InvalidInput
from mnemic.health.metrics import content_terms
from mnemic.moving.chats import Chats
from mnemic.moving.importer import Importer, Reading, Refused
from mnemic.moving.pieces import Piece
from mnemic.plain import plain
from mnemic.types import Hit, NewTurn, Turn

_BYTES = 20_000_000  # of trace files that a search reads, the newest first: about a second
_TURNS = 2_000  # matching turns of trace files that are ranked

Level = Literal["database", "host", "jsonl"]
Trace = Turn | NewTurn

# Words are enough to rank a few matches, whatever the environment says.
_FOR_ONE_SEARCH: dict[str, Any] = {
    "preset": "default",
    "index": {"vectors": "none"},
    "extraction": {"engine": "rules"},
    "recall": {"min_score": 0.0},  # what is searched has words of the query
}


@dataclass(frozen=True, slots=True)
class TraceQuery:
    """One search for turns."""

    query: str
    session: str | None
    since: str | None
    until: str | None
    limit: int


# A function of the host that finds turns itself, or a folder of JSONL files.
TraceSource = Callable[[TraceQuery], Iterable[Trace]] | str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class TraceResult:
    """Turns, best first, the level they came from, and the number of unreadable lines."""

    level: Level
    turns: tuple[Trace, ...]
    unreadable: int = 0


def find_traces(mind: Mind, query: TraceQuery, host_source: TraceSource | None) -> TraceResult:
    """The turns of the first level that has words of the query, else the nearest recorded ones."""
    near, words = _in_database(mind, query), content_terms(query.query)
    if any(not words or words.intersection(hit.why.terms) for hit, _ in near):
        return TraceResult("database", tuple(turn for _, turn in near))
    unreadable = 0
    levels: tuple[tuple[Level, TraceSource | None], ...] = (
        ("host", host_source),
        ("jsonl", mind.transcripts),
    )
    for level, source in levels:
        if source is None:
            continue
        if callable(source):
            turns = tuple(islice(source(query), query.limit))
        else:
            reader = _Folder(Path(source), query)
            turns = reader.rank()
            unreadable += reader.unreadable
        if turns:
            return TraceResult(level, turns, unreadable)
    return TraceResult("database", tuple(turn for _, turn in near), unreadable)


# --- the database ---------------------------------------------------------------------------------


def _in_database(mind: Mind, query: TraceQuery) -> list[tuple[Hit, Turn]]:
    hits = mind.recall(
        query.query,
        limit=query.limit,
        of=("turn",),
        session=query.session,
        since=query.since,
        until=query.until,
    )
    return [(hit, turn) for hit in hits if (turn := _whole(mind, hit)) is not None]


def _whole(mind: Mind, hit: Hit) -> Turn | None:
    """The turn of a hit, with the arguments and results of its tools."""
    next_moment = hit.at + timedelta(microseconds=1)
    same_time = mind.turns(session=hit.session, since=hit.at, until=next_moment, limit=1_000)
    return next((turn for turn in same_time if turn.id == hit.id), None)


# --- files ----------------------------------------------------------------------------------------


class _Folder:
    """The JSONL files of a folder, the newest first, up to a number of bytes."""

    def __init__(self, folder: Path, query: TraceQuery) -> None:
        self._folder, self._query = folder, query
        self._words = content_terms(query.query)
        self._bytes, self.unreadable = _BYTES, 0

    def rank(self) -> tuple[Trace, ...]:
        """The turns that match, best first."""
        pieces = list(self._matching())
        if not pieces:
            return ()
        with open_mind(":memory:", worker="none", **_FOR_ONE_SEARCH) as mind:
            for _ in Importer(mind, Reading("turns", refused=self._refuse)).run(pieces):
                pass
            turns = [turn for _, turn in _in_database(mind, self._query)]
        undated = {_place(entry.turn) for entry in pieces if entry.turn and entry.turn.at is None}
        return tuple(_without_time(turn) if _place(turn) in undated else turn for turn in turns)

    def _matching(self) -> Iterator[Piece]:
        remaining = _TURNS
        for path in self._newest_first():
            if self._bytes <= 0 or remaining <= 0:
                return
            # Of a long file the end is kept, which is the newest part.
            matching = deque(filter(self._matches, self._pieces(path)), maxlen=remaining)
            remaining -= len(matching)
            yield from matching

    def _newest_first(self) -> list[Path]:
        dated = []
        for path in sorted(self._folder.glob("*.jsonl")):
            try:
                dated.append((path.stat().st_mtime, path))
            except OSError:
                self.unreadable += 1
        return [path for _, path in sorted(dated, reverse=True)]

    def _pieces(self, path: Path) -> Iterator[Piece]:
        try:
            with path.open("rb") as stream:
                size = os.fstat(stream.fileno()).st_size
                if size > self._bytes:
                    stream.seek(size - self._bytes)
                    stream.readline()
                self._bytes -= size
                yield from Chats(stream, session=path.stem, format="turns")
        except (OSError, InvalidInput):
            self.unreadable += 1

    def _matches(self, entry: Piece) -> bool:
        if entry.turn is None:
            self.unreadable += 1
            return False
        tools = (*entry.turn.tool_calls, *entry.turn.tool_results)
        text = "\n".join((entry.turn.text, *(str(plain(tool)) for tool in tools))).casefold()
        return not self._words or any(word in text for word in self._words)

    def _refuse(self, refused: Refused) -> None:
        self.unreadable += 1


def _place(turn: Trace) -> tuple[str, int | None]:
    return turn.session, turn.index


def _without_time(turn: Turn) -> NewTurn:
    """A turn whose file does not say when it was."""
    return NewTurn(
        turn.session,
        turn.role,
        turn.text,
        sender=turn.sender,
        channel=turn.channel,
        tool_calls=turn.tool_calls,
        tool_results=turn.tool_results,
        index=turn.index,
        trust=turn.trust,
    )
