"""Sessions and turns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from itertools import chain
from typing import Any

from mnemic.errors import Conflict, NotFound
from mnemic.rules.speakers import FOREIGN, Speech
from mnemic.store import codec
from mnemic.store.rows import (
    PLACE_END,
    SHORT_TEXT,
    Place,
    Placed,
    Transcript,
    TurnFilter,
    TurnRow,
    first_doc,
    last_doc,
)
from mnemic.store.sql.part import Fields, narrow, read_statements
from mnemic.store.sql.scope import has_metadata
from mnemic.store.sql.speech import SpeechRows
from mnemic.types import EMPTY, SafeName, SafeText, SessionInfo, Turn, TurnState

_TURN = Fields(
    Turn,
    "id session index role text at sender channel tool_calls:calls tool_results:results tokens"
    " trust state reason metadata:metadata",
    "t.",
    session="s.id",
    index="t.idx",
    text="t.content",
)
_SESSION = Fields(SessionInfo, "id project topic started_at:time last_at:time ended_at:time? turns")
_OF_SESSIONS = {
    "project": "project = :project",
    "text": "(instr(lower(topic), lower(:text)) > 0 OR EXISTS (SELECT 1 FROM episodes e"
    " WHERE e.space = sessions.space AND e.session = sessions.id"
    " AND instr(lower(e.summary), lower(:text)) > 0))",
    "since": "last_at >= :since",
    "until": "last_at < :until",
}
_FILTERS = {
    "session": "s.space = t.space AND s.id = :session",
    "project": "s.project = :project",
    "since": "t.at >= :since",
    "until": "t.at < :until",
    "role": "t.role = :role",
}
# A turn asks when a question mark stands near its end.
_SHORT = 4 * SHORT_TEXT  # bytes that a short text has at most
_PLACE = (
    "n.doc, n.session, n.idx, n.at, n.sender, n.role = 'assistant',"
    f" octet_length(n.content) <= {_SHORT}, CASE WHEN octet_length(n.content) <= {_SHORT}"
    f" THEN n.content ELSE substr(n.content, -{PLACE_END}) END"
)
_COLUMNS = f"{_TURN.columns}, t.zone"
_AT = _TURN.names.index("at")
_TRANSCRIPT = Fields(Transcript, "session bytes last_at:time", "r.", session="s.id")
_FROM = "FROM turns t JOIN sessions s ON s.space = t.space AND s.number = t.session"
_IN_SESSION = f"{_FROM} WHERE s.space = :space AND s.id = :session AND t.space = s.space"
_VALUES = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'new', '', ?, ?)"
_INSERT = f"INSERT INTO turns VALUES {_VALUES}"
_AT_ONCE = 200  # turns: few calls for a large batch, and a statement short enough to be kept ready
_INSERT_MANY = f"INSERT INTO turns VALUES {', '.join([_VALUES] * _AT_ONCE)}"
_MOMENT = "CAST(value ->> 1 AS INTEGER)"
# Not by the index of states, which most turns of a session share.
_WAITS = "+t.state IN ('new', 'failed')"
# The end of a session, and the next free document.
_END = (
    "SELECT number, next_idx, speaker, shared,"
    " ifnull((SELECT max(doc) + 1 FROM turns WHERE +space = ? AND doc BETWEEN ? AND ?), ?)"
    " FROM sessions WHERE space = ? AND id = ?"
)
_GROW = (
    "UPDATE sessions SET turns = turns + 1, next_idx = ?, last_at = max(last_at, ?),"
    " ended_at = NULL WHERE +space = ? AND number = ?"
)


class _Append:
    """One append in progress: what is known of a session, and the rows still to be written."""

    def __init__(self, number: int, next_idx: int, turns: int, speaker: int, shared: int) -> None:
        self.number = number
        self.next_idx = next_idx
        self.turns = turns
        self.speech = Speech(speaker, bool(shared))
        self.last_at = 0
        self.waiting: dict[int, TurnRow] = {}


class SqlLedger(SpeechRows):
    """The ledger of one space on one connection."""

    statements = read_statements("sql/speech", "sql/ledger")

    # --- sessions -------------------------------------------------------------------------------

    def open_session(
        self, session: SafeName, project: SafeName, topic: SafeName, at: datetime
    ) -> None:
        moment = codec.to_micros(at)
        self._conn.execute(
            "INSERT INTO sessions (space, id, project, topic, started_at, last_at, turns, next_idx)"
            " VALUES (?, ?, ?, ?, ?, ?, 0, 0) ON CONFLICT (space, id) DO UPDATE SET"
            " project = CASE WHEN excluded.project = '' THEN sessions.project ELSE"
            " excluded.project END,"
            " topic = CASE WHEN excluded.topic = '' THEN sessions.topic ELSE excluded.topic END,"
            " ended_at = NULL",
            (self._space, session, project, topic, moment, moment),
        )

    def end_session(self, session: SafeName, at: datetime) -> None:
        self._run("end_session", session=session, at=at)

    def session(self, session: SafeName) -> SessionInfo | None:
        return next(iter(self._sessions("AND id = :session", session=session)), None)

    def ids_beginning(self, prefix: str, limit: int) -> list[SafeName]:
        """Ids of records of any kind that begin so, by the index of each table."""
        found = [
            self._column(
                f"SELECT id FROM {table} WHERE space = :space AND id >= :first AND id < :last"
                " ORDER BY id LIMIT :most",
                first=prefix, last=prefix + "~", most=limit,
            )
            for table in ("memories", "turns", "episodes", "attachments", "jobs")
        ]  # fmt: skip
        return [id_ for ids in found for id_ in ids][:limit]

    def sessions(
        self,
        limit: int,
        offset: int,
        *,
        project: str | None = None,
        text: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[SessionInfo]:
        """Conversations by the time of their last turn, the latest first."""
        wanted = {"project": project, "text": text, "since": since, "until": until}
        order = "ORDER BY last_at DESC, number DESC LIMIT :limit OFFSET :offset"
        rest = f"AND {narrow(_OF_SESSIONS, wanted)} {order}"
        return self._sessions(rest, **wanted, limit=limit, offset=offset)

    def _sessions(self, rest: str, **values: Any) -> list[SessionInfo]:
        statement = f"SELECT {_SESSION.columns} FROM sessions WHERE space = :space {rest}"
        return [_SESSION.read(row) for row in self._run(statement, **values)]

    # --- appending ------------------------------------------------------------------------------

    def append(self, rows: Sequence[TurnRow]) -> list[Placed]:
        """Write turns in order. One that is already there is left alone; another turn in the same
        place is a conflict.
        """
        if self._unit.admission is not None:
            self._unit.admission.admit(self._unit, "turns", len(rows))
        if len(rows) == 1 and rows[0].idx is None:
            return [self._append_one(rows[0])]
        begun = self._begin(rows)
        placed: list[Placed] = []
        fresh: list[tuple[TurnRow, int, int]] = []
        for given in rows:
            row, state = given, begun[given.session]
            index = state.next_idx if row.idx is None else row.idx
            if index < state.next_idx and self._is_known(state, index, row):
                placed.append(Placed(index, added=False))
                continue
            disowned = False
            if row.claim is not None and (
                state.speech.shared or row.claim != state.speech.speaker or row.claim == FOREIGN
            ):
                row, state.speech, disowned = self.claimed(row, state.number, state.speech)
            state.waiting[index] = row
            state.turns += 1
            if index >= state.next_idx:
                state.next_idx = index + 1
            external = row is not given
            placed.append(Placed(index, added=True, external=external, disowned=disowned))
            fresh.append((row, state.number, index))
        if fresh:
            self._write(fresh, begun)
        return placed

    def _append_one(self, row: TurnRow) -> Placed:
        """What each turn of a conversation does: to the end of its session, in two statements."""
        space, conn = self._space, self._conn
        first = first_doc(space, "turn")
        wanted = (space, first, last_doc(space, "turn"), first, space, row.session)
        end: Any = conn.execute(_END, wanted).fetchone()
        if end is None:
            self.open_session(row.session, EMPTY, EMPTY, row.at)
            end = conn.execute(_END, wanted).fetchone()
        number, index, speaker, shared, doc = end
        disowned, given = False, row
        # The same one person as before, by far the most common, changes nothing.
        if row.claim is not None and (shared or row.claim != speaker or row.claim == FOREIGN):
            row, _, disowned = self.claimed(row, number, Speech(speaker, bool(shared)))
        turn = _columns(space, doc, number, index, row)
        indexed = self._unit.index.values(space, doc, row.terms, row.packed)
        grown = (index + 1, turn[9], space, number)
        conn.execute(_append(self._unit.index.insert), (*turn, *indexed, *grown))
        if row.tool_calls:
            self._add_tools([(row, doc)])
        return Placed(index, added=True, external=row is not given, disowned=disowned)

    def _begin(self, rows: Sequence[TurnRow]) -> dict[str, _Append]:
        """The ends of the sessions of these turns, each begun if it is new."""
        first: dict[str, datetime] = {}
        for row in rows:
            first.setdefault(row.session, row.at)
        begun = self._ends(list(first))
        new = [(id_, codec.to_micros(at)) for id_, at in first.items() if id_ not in begun]
        if new:
            self._conn.execute(
                "INSERT INTO sessions"
                " (space, id, project, topic, started_at, last_at, turns, next_idx)"
                f" SELECT ?, value ->> 0, '', '', {_MOMENT}, {_MOMENT}, 0, 0 FROM json_each(?)",
                (self._space, codec.dump(new)),
            )
            begun |= self._ends([id_ for id_, _ in new])
        return begun

    def _ends(self, sessions: Sequence[str]) -> dict[str, _Append]:
        rows = self._conn.execute(
            "SELECT s.id, s.number, s.next_idx, s.turns, s.speaker, s.shared FROM json_each(?) j"
            " CROSS JOIN sessions s ON s.space = ? AND s.id = j.value",
            (codec.dump(sessions), self._space),
        )
        return {id_: _Append(*rest) for id_, *rest in rows}

    def _is_known(self, state: _Append, index: int, row: TurnRow) -> bool:
        same: tuple[Any, ...] | None
        if index in state.waiting:
            other = state.waiting[index]
            same = (other.role, other.text, other.tool_calls, other.tool_results)
        else:
            stored = self._conn.execute(
                "SELECT role, content, tool_calls, tool_results FROM turns"
                " WHERE space = ? AND session = ? AND idx = ?",
                (self._space, state.number, index),
            ).fetchone()
            if stored is None:
                return False
            role, content, calls, results = stored
            same = (role, content, codec.load_calls(calls), codec.load_results(results))
        if same != (row.role, row.text, row.tool_calls, row.tool_results):
            raise Conflict(
                f"Session {row.session!r} already has another turn at index {index}",
                remedy="Leave index out to append, or give the next free one",
            )
        return True

    def _write(self, fresh: list[tuple[TurnRow, int, int]], begun: dict[str, _Append]) -> None:
        first = self._next_doc("turn")
        docs = range(first, first + len(fresh))
        turns = []
        tools: list[tuple[TurnRow, int]] = []
        for doc, (row, number, index) in zip(docs, fresh, strict=True):
            turn = _columns(self._space, doc, number, index, row)
            turns.append(turn)
            if row.tool_calls:
                tools.append((row, doc))
            state = begun[row.session]
            state.last_at = max(state.last_at, turn[9])
        self._insert_turns(turns)
        terms, packed = [row.terms for row, *_ in fresh], [row.packed for row, *_ in fresh]
        self._unit.index.add_many(self._conn, self._space, docs, terms, packed)
        if tools:
            self._add_tools(tools)
        grown = [(s.turns, s.next_idx, s.last_at, s.number) for s in begun.values() if s.waiting]
        self._conn.execute(
            "UPDATE sessions SET turns = CAST(j.value ->> 0 AS INTEGER),"
            " next_idx = CAST(j.value ->> 1 AS INTEGER),"
            " last_at = max(last_at, CAST(j.value ->> 2 AS INTEGER)), ended_at = NULL"
            " FROM json_each(?) j WHERE +space = ? AND number = CAST(j.value ->> 3 AS INTEGER)",
            (codec.dump(grown), self._space),
        )

    def _insert_turns(self, turns: Sequence[tuple[Any, ...]]) -> None:
        rest = len(turns) % _AT_ONCE
        self._conn.executemany(_INSERT, turns[:rest])
        for start in range(rest, len(turns), _AT_ONCE):
            values = chain.from_iterable(turns[start : start + _AT_ONCE])
            self._conn.execute(_INSERT_MANY, tuple(values))

    def _add_tools(self, used: Sequence[tuple[TurnRow, int]]) -> None:
        self._conn.executemany(
            "INSERT INTO turn_tools VALUES (?, ?, ?)",
            [
                (self._space, name, doc)
                for row, doc in used
                for name in {call.name for call in row.tool_calls}
            ],
        )

    # --- reading --------------------------------------------------------------------------------

    def turns(self, wanted: TurnFilter) -> list[Turn]:
        values = {name: getattr(wanted, name) for name in _FILTERS}
        clauses, joined = [narrow(_FILTERS, values)], _FROM
        if wanted.state is not None:
            # Few turns are in trouble; of any other state there are too many to be sorted.
            state = "t.state" if wanted.state in ("failed", "dead") else "+t.state"
            clauses.append(f"{state} = :state")
        if wanted.having:
            clauses.append(has_metadata("t.metadata"))
        if wanted.tool is not None:
            joined += " JOIN turn_tools u ON u.space = t.space AND u.doc = t.doc AND u.name = :tool"
        order = "t.session, t.idx" if wanted.session else "t.at, t.doc"
        if wanted.newest_first:
            order = ", ".join(f"{column} DESC" for column in order.split(", "))
        return self._select(
            f"{joined} WHERE t.space = :space AND {' AND '.join(clauses)}"
            f" ORDER BY {order} LIMIT :limit OFFSET :offset",
            **values,
            state=wanted.state,
            having=wanted.having,
            tool=wanted.tool,
            limit=wanted.limit,
            offset=wanted.offset,
        )

    def turn_at(self, session: SafeName, index: int) -> Turn:
        turns = self._select(f"{_IN_SESSION} AND t.idx = :index", session=session, index=index)
        if not turns:
            raise NotFound(f"Session {session!r} has no turn {index}", remedy="See `mnemic turns`")
        return turns[0]

    def turns_by_id(self, ids: Sequence[str]) -> list[Turn]:
        return self._select(
            f"{_FROM} WHERE t.space = :space AND t.id IN (SELECT value FROM json_each(:ids))"
            " ORDER BY t.id",
            ids=ids,
        )

    def turns_by_doc(self, docs: Sequence[int]) -> dict[int, Turn]:
        rows = self._conn.execute(
            f"SELECT t.doc, {_COLUMNS} FROM json_each(?) d CROSS JOIN turns t ON t.doc = d.atom"
            " CROSS JOIN sessions s ON s.space = t.space AND s.number = t.session WHERE t.space"
            " = ?",
            (str(list(docs)), self._space),
        )
        return {doc: _read_turn(row) for doc, *row in rows}

    def said_by_owner(self, docs: Sequence[int], most: int) -> dict[int, str]:
        """What the owner says in those of the turns that are not longer than ``most``."""
        rows = self._conn.execute(
            "SELECT t.doc, t.content FROM json_each(?) d CROSS JOIN turns t ON t.doc = d.atom"
            " WHERE t.space = ? AND t.trust = 'owner' AND length(t.content) <= ?",
            (str(list(docs)), self._space, most),
        )
        return dict(rows)

    def places(self, docs: Sequence[int]) -> list[Place]:
        """The turns among the documents."""
        rows = self._conn.execute(
            f"SELECT {_PLACE} FROM json_each(?) d CROSS JOIN turns n ON n.doc = d.atom"
            " WHERE n.space = ?",
            (str(list(docs)), self._space),
        )
        return list(map(Place._make, rows))

    def places_around(self, docs: Sequence[int], reach: int) -> list[Place]:
        """The turns and those within reach of them in their session; some may come twice."""
        rows = self._conn.execute(
            f"SELECT {_PLACE} FROM json_each(?) d CROSS JOIN turns t ON t.doc = d.atom"
            " CROSS JOIN turns n ON n.space = t.space AND n.session = t.session"
            " AND n.idx BETWEEN t.idx - ? AND t.idx + ? WHERE t.space = ?",
            (str(list(docs)), reach, reach, self._space),
        )
        return list(map(Place._make, rows))

    def in_order(self, docs: Sequence[int], *, newest_first: bool) -> list[int]:
        """The turns among the documents by the time they were said."""
        rows = self._conn.execute(
            "SELECT t.doc FROM json_each(?) d CROSS JOIN turns t ON t.doc = d.atom"
            " WHERE t.space = ? ORDER BY t.at, t.doc",
            (str(list(docs)), self._space),
        )
        ordered = [doc for (doc,) in rows]
        return ordered[::-1] if newest_first else ordered

    def latest_docs(self, limit: int) -> list[int]:
        return self._column("latest_docs", limit=limit)

    def set_state(self, ids: Sequence[SafeName], state: TurnState, reason: SafeText) -> None:
        self._conn.executemany(
            "UPDATE turns SET state = ?, reason = ? WHERE space = ? AND id = ?",
            [(state, reason, self._space, id_) for id_ in ids],
        )

    # --- how far later work has come: every turn up to here, marked in the same transaction -------

    def undigested(self, session: SafeName) -> list[Turn]:
        return self._beyond("s.digested", session)

    def mark_digested(self, session: SafeName, turn: SafeName | None = None) -> None:
        """Every turn of the session, or every one up to this, has its daily event."""
        self._run("mark_digested", session=session, turn=turn)

    def unextracted(self, session: SafeName, limit: int) -> list[Turn]:
        """Turns that have not ended in a state yet, in the order they were recorded."""
        return self._select(
            f"{_IN_SESSION} AND +t.doc > s.extracted AND {_WAITS} ORDER BY t.doc LIMIT :limit",
            session=session,
            limit=limit,
        )

    def mark_extracted(self, session: SafeName) -> None:
        """Move the mark up to the first turn that still waits."""
        self._run("mark_extracted", session=session)

    def revive(self, session: SafeName, reason: SafeText) -> int:
        """Let the dead turns of a session wait again; says how many."""
        rows = self._run("revive", session=session, reason=reason).fetchall()
        if rows:
            self._run("lower_extracted", session=session, before=min(doc for (doc,) in rows) - 1)
        return len(rows)

    def turns_before(self, session: SafeName, index: int, limit: int) -> list[Turn]:
        turns = self._select(
            f"{_IN_SESSION} AND t.idx < :index ORDER BY t.idx DESC LIMIT :limit",
            session=session,
            index=index,
            limit=limit,
        )
        return turns[::-1]

    def waiting_tokens(self, sessions: Sequence[SafeName]) -> dict[SafeName, int]:
        """The tokens of the turns of each session that nothing was learned from yet."""
        rows = self._run("waiting_tokens", sessions=sessions)
        return dict.fromkeys(sessions, 0) | dict(rows)

    def count_waiting(self, sessions: Sequence[SafeName]) -> int:
        """The turns of these sessions that nothing was learned from yet."""
        return int(self._run("count_waiting", sessions=sessions).get)

    def count_prompt(self, session: SafeName) -> int:
        """How many extractions single messages of the session have set off, with this one."""
        count = self._run("count_prompt", session=session).get
        return int(count or 0)

    def sessions_to_extract(self, limit: int) -> list[SafeName]:
        """Sessions with turns that have not ended in a state, the oldest first."""
        return self._column("sessions_to_extract", limit=limit)

    def sessions_untold(self, before: datetime, limit: int) -> list[SafeName]:
        """Sessions whose last turn is older and in no episode, the latest first."""
        return self._column("sessions_untold", before=before, limit=limit)

    def transcript(self, session: SafeName) -> Transcript | None:
        return next(iter(self._transcripts("s.id = :session", session=session)), None)

    def untranscribed(self, session: SafeName) -> list[Turn]:
        return self._beyond(
            "ifnull((SELECT doc FROM transcripts r"
            " WHERE r.space = s.space AND r.session = s.number), -1)",
            session,
        )

    def mark_transcribed(self, transcript: Transcript) -> None:
        self._run("mark_transcribed", **_TRANSCRIPT.of(transcript))

    def old_transcripts(self, before: datetime) -> list[Transcript]:
        return self._transcripts("r.last_at < :before", before=before)

    def drop_transcript(self, session: SafeName) -> None:
        self._run("drop_transcript", session=session)

    def _transcripts(self, rest: str, **values: Any) -> list[Transcript]:
        rows = self._run(
            f"SELECT {_TRANSCRIPT.columns} FROM transcripts r JOIN sessions s"
            f" ON s.space = r.space AND s.number = r.session WHERE r.space = :space AND {rest}",
            **values,
        )
        return [_TRANSCRIPT.read(row) for row in rows]

    def _beyond(self, watermark: str, session: str) -> list[Turn]:
        return self._select(
            f"{_IN_SESSION} AND t.doc > {watermark} ORDER BY t.doc", session=session
        )

    def _select(self, rest: str, **values: Any) -> list[Turn]:
        return [_read_turn(row) for row in self._run(f"SELECT {_COLUMNS} {rest}", **values)]


@cache
def _append(index: str) -> str:
    """One turn at the end of its session, with its place in the text index."""
    return f"{_INSERT}; {index}; {_GROW}"


def _columns(space: int, doc: int, session: int, index: int, row: TurnRow) -> tuple[Any, ...]:
    return (
        space,
        doc,
        row.id,
        session,
        index,
        row.role,
        row.text,
        codec.dump_any(row.tool_calls),
        codec.dump_any(row.tool_results),
        codec.to_micros(row.at),
        codec.zone_minutes(row.at),
        row.tokens,
        row.channel,
        row.sender,
        row.trust,
        row.claim is not None,
        codec.dump_any(row.metadata),
    )


def _read_turn(row: Sequence[Any]) -> Turn:
    *cells, zone = row
    cells[_AT] = codec.from_micros(cells[_AT], zone)
    return _TURN.read(cells)
