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
from mnemic.store.sql.scope import has_metadata
from mnemic.store.sql.speech import SpeechRows
from mnemic.store.sql.terms import TermIndex, next_doc
from mnemic.types import SafeName, SessionInfo, Turn, TurnState

_TURN = (
    "t.id, s.id, t.idx, t.role, t.content, t.at, t.zone, t.sender, t.channel, t.tool_calls,"
    " t.tool_results, t.tokens, t.trust, t.state, t.reason, t.metadata"
)
# A turn asks when a question mark stands near its end.
_SHORT = 4 * SHORT_TEXT  # bytes that a short text has at most
_PLACE = (
    "n.doc, n.session, n.idx, n.at, n.sender, n.role = 'assistant',"
    f" octet_length(n.content) <= {_SHORT}, CASE WHEN octet_length(n.content) <= {_SHORT}"
    f" THEN n.content ELSE substr(n.content, -{PLACE_END}) END"
)
_FROM = "FROM turns t JOIN sessions s ON s.space = t.space AND s.number = t.session"
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

    index: TermIndex

    # --- sessions -------------------------------------------------------------------------------

    def open_session(self, session: str, project: str, topic: str, at: datetime) -> None:
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

    def end_session(self, session: str, at: datetime) -> None:
        self._conn.execute(
            "UPDATE sessions SET ended_at = ? WHERE space = ? AND id = ?",
            (codec.to_micros(at), self._space, session),
        )

    def session(self, session: str) -> SessionInfo | None:
        infos = self._sessions("AND id = ?", (session,))
        return infos[0] if infos else None

    def sessions(self, limit: int, offset: int) -> list[SessionInfo]:
        return self._sessions(
            "ORDER BY last_at DESC, number DESC LIMIT ? OFFSET ?", (limit, offset)
        )

    def _sessions(self, rest: str, values: tuple[Any, ...]) -> list[SessionInfo]:
        rows = self._conn.execute(
            "SELECT id, project, topic, started_at, last_at, ended_at, turns FROM sessions"
            f" WHERE space = ? {rest}",
            (self._space, *values),
        )
        return [
            SessionInfo(
                id=id_,
                project=project,
                topic=topic,
                started_at=codec.from_micros(started),
                last_at=codec.from_micros(last),
                ended_at=codec.maybe_from_micros(ended),
                turns=turns,
            )
            for id_, project, topic, started, last, ended, turns in rows
        ]

    # --- appending ------------------------------------------------------------------------------

    def append(self, rows: Sequence[TurnRow]) -> list[Placed]:
        """Write turns in order. One that is already there is left alone; another turn in the same
        place is a conflict.
        """
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
            self.open_session(row.session, "", "", row.at)
            end = conn.execute(_END, wanted).fetchone()
        number, index, speaker, shared, doc = end
        disowned, given = False, row
        # The same one person as before, by far the most common, changes nothing.
        if row.claim is not None and (shared or row.claim != speaker or row.claim == FOREIGN):
            row, _, disowned = self.claimed(row, number, Speech(speaker, bool(shared)))
        turn = _columns(space, doc, number, index, row)
        indexed = self.index.values(space, doc, row.terms, row.packed)
        grown = (index + 1, turn[9], space, number)
        conn.execute(_append(self.index.insert), (*turn, *indexed, *grown))
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
            same = (other.role, other.content, other.tool_calls, other.tool_results)
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
        if same != (row.role, row.content, row.tool_calls, row.tool_results):
            raise Conflict(
                f"Session {row.session!r} already has another turn at index {index}",
                remedy="Leave index out to append, or give the next free one",
            )
        return True

    def _write(self, fresh: list[tuple[TurnRow, int, int]], begun: dict[str, _Append]) -> None:
        first = next_doc(self._conn, self._space, "turn")
        turns = []
        tools: list[tuple[TurnRow, int]] = []
        for doc, (row, number, index) in enumerate(fresh, first):
            turn = _columns(self._space, doc, number, index, row)
            turns.append(turn)
            if row.tool_calls:
                tools.append((row, doc))
            state = begun[row.session]
            state.last_at = max(state.last_at, turn[9])
        self._insert(turns)
        terms, packed = [row.terms for row, *_ in fresh], [row.packed for row, *_ in fresh]
        self.index.add_many(self._conn, self._space, first, terms, packed)
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

    def _insert(self, turns: Sequence[tuple[Any, ...]]) -> None:
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
        clauses: list[str] = ["t.space = ?"]
        values: list[Any] = [self._space]
        joined = _FROM
        # Few turns are in trouble; of any other state there are too many to be sorted.
        state = "t.state" if wanted.state in ("failed", "dead") else "+t.state"
        for clause, value in (
            ("s.space = t.space AND s.id = ?", wanted.session),
            ("s.project = ?", wanted.project),
            ("t.at >= ?", codec.maybe_to_micros(wanted.since)),
            ("t.at < ?", codec.maybe_to_micros(wanted.until)),
            ("t.role = ?", wanted.role),
            (f"{state} = ?", wanted.state),
        ):
            if value is not None:
                clauses.append(clause)
                values.append(value)
        if wanted.having:
            clauses.append(has_metadata("t.metadata").replace(":having", "?"))
            values.append(codec.dump(dict(wanted.having)))
        if wanted.tool is not None:
            joined += " JOIN turn_tools u ON u.space = t.space AND u.doc = t.doc AND u.name = ?"
            values.insert(0, wanted.tool)
        order = "t.session, t.idx" if wanted.session else "t.at, t.doc"
        if wanted.newest_first:
            order = ", ".join(f"{column} DESC" for column in order.split(", "))
        rows = self._conn.execute(
            f"SELECT {_TURN} {joined} WHERE {' AND '.join(clauses)}"
            f" ORDER BY {order} LIMIT ? OFFSET ?",
            (*values, wanted.limit, wanted.offset),
        )
        return [_turn(row) for row in rows]

    def turn_at(self, session: str, index: int) -> Turn:
        row = self._conn.execute(
            f"SELECT {_TURN} {_FROM} WHERE s.space = ? AND s.id = ? AND t.space = s.space"
            " AND t.idx = ?",
            (self._space, session, index),
        ).fetchone()
        if row is None:
            raise NotFound(f"Session {session!r} has no turn {index}", remedy="See `mnemic turns`")
        return _turn(row)

    def turns_by_id(self, ids: Sequence[str]) -> list[Turn]:
        rows = self._conn.execute(
            f"SELECT {_TURN} {_FROM} WHERE t.space = ? AND t.id IN"
            " (SELECT value FROM json_each(?)) ORDER BY t.id",
            (self._space, codec.dump(list(ids))),
        )
        return [_turn(row) for row in rows]

    def turns_by_doc(self, docs: Sequence[int]) -> dict[int, Turn]:
        rows = self._conn.execute(
            f"SELECT t.doc, {_TURN} FROM json_each(?) d CROSS JOIN turns t ON t.doc = d.atom"
            " CROSS JOIN sessions s ON s.space = t.space AND s.number = t.session WHERE t.space"
            " = ?",
            (str(list(docs)), self._space),
        )
        return {row[0]: _turn(row[1:]) for row in rows}

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
        rows = self._conn.execute(
            "SELECT doc FROM turns WHERE space = ? ORDER BY at DESC, doc DESC LIMIT ?",
            (self._space, limit),
        )
        return [doc for (doc,) in rows]

    def set_state(self, ids: Sequence[str], state: TurnState, reason: str) -> None:
        self._conn.executemany(
            "UPDATE turns SET state = ?, reason = ? WHERE space = ? AND id = ?",
            [(state, reason, self._space, id_) for id_ in ids],
        )

    # --- how far later work has come: every turn up to here, marked in the same transaction -------

    def undigested(self, session: str) -> list[Turn]:
        return self._beyond("s.digested", session)

    def mark_digested(self, session: str, turn: str | None = None) -> None:
        self._conn.execute(
            "UPDATE sessions SET digested = max(digested, ifnull((SELECT max(doc) FROM turns t"
            " WHERE t.space = sessions.space AND t.session = number AND (? IS NULL OR t.id = ?)),"
            " -1)) WHERE space = ? AND id = ?",
            (turn, turn, self._space, session),
        )

    def unextracted(self, session: str, limit: int) -> list[Turn]:
        """Turns that have not ended in a state yet, in the order they were recorded."""
        rows = self._conn.execute(
            f"SELECT {_TURN} {_FROM} WHERE s.space = ? AND s.id = ? AND t.space = s.space"
            f" AND +t.doc > s.extracted AND {_WAITS} ORDER BY t.doc LIMIT ?",
            (self._space, session, limit),
        )
        return [_turn(row) for row in rows]

    def mark_extracted(self, session: str) -> None:
        """Move the mark up to the first turn that still waits."""
        self._conn.execute(
            "UPDATE sessions AS s SET extracted = ifnull("
            " (SELECT min(t.doc) - 1 FROM turns t WHERE t.space = s.space AND t.session = s.number"
            f"  AND +t.doc > s.extracted AND {_WAITS}),"
            " ifnull((SELECT max(t.doc) FROM turns t"
            "  WHERE t.space = s.space AND t.session = s.number), -1))"
            " WHERE space = ? AND id = ?",
            (self._space, session),
        )

    def revive(self, session: str, reason: str) -> int:
        """Let the dead turns of a session wait again; says how many."""
        rows: list[Any] = self._conn.execute(
            "UPDATE turns SET state = 'failed', reason = ? WHERE space = ? AND state = 'dead'"
            " AND session = (SELECT number FROM sessions WHERE space = ? AND id = ?)"
            " RETURNING doc",
            (reason, self._space, self._space, session),
        ).fetchall()
        if rows:
            self._conn.execute(
                "UPDATE sessions SET extracted = min(extracted, ?) WHERE space = ? AND id = ?",
                (min(doc for (doc,) in rows) - 1, self._space, session),
            )
        return len(rows)

    def turns_before(self, session: str, index: int, limit: int) -> list[Turn]:
        rows = self._conn.execute(
            f"SELECT {_TURN} {_FROM} WHERE s.space = ? AND s.id = ? AND t.space = s.space"
            " AND t.idx < ? ORDER BY t.idx DESC LIMIT ?",
            (self._space, session, index, limit),
        )
        return [_turn(row) for row in rows][::-1]

    def waiting_tokens(self, sessions: Sequence[SafeName]) -> dict[SafeName, int]:
        """The tokens of the turns of each session that nothing was learnt from yet."""
        rows = self._conn.execute(
            "SELECT min(s.id), sum(t.tokens) FROM json_each(?) j"
            " CROSS JOIN sessions s ON s.space = ? AND s.id = j.value"
            " CROSS JOIN turns t ON t.space = s.space AND t.session = s.number"
            f" AND +t.doc > s.extracted WHERE {_WAITS} GROUP BY s.number",
            (codec.dump(list(sessions)), self._space),
        )
        return dict.fromkeys(sessions, 0) | dict(rows)

    def count_waiting(self, sessions: Sequence[SafeName]) -> int:
        """The turns of these sessions that nothing was learnt from yet."""
        return int(
            self._conn.execute(
                "SELECT count(*) FROM json_each(?) j"
                " CROSS JOIN sessions s ON s.space = ? AND s.id = j.value"
                " CROSS JOIN turns t ON t.space = s.space AND t.session = s.number"
                f" AND +t.doc > s.extracted WHERE {_WAITS}",
                (codec.dump(list(sessions)), self._space),
            ).get
        )

    def count_prompt(self, session: str) -> int:
        """How many extractions single messages of the session have set off, with this one."""
        count = self._conn.execute(
            "UPDATE sessions SET prompted = prompted + 1 WHERE space = ? AND id = ?"
            " RETURNING prompted",
            (self._space, session),
        ).get
        return int(count or 0)

    def sessions_to_extract(self, limit: int) -> list[SafeName]:
        """Sessions with turns that have not ended in a state, the oldest first."""
        rows = self._conn.execute(
            "SELECT s.id FROM sessions s WHERE s.space = ? AND EXISTS (SELECT 1 FROM turns t"
            " WHERE t.space = s.space AND t.session = s.number AND +t.doc > s.extracted"
            f" AND {_WAITS}) ORDER BY s.last_at, s.number LIMIT ?",
            (self._space, limit),
        )
        return [id_ for (id_,) in rows]

    def sessions_untold(self, before: datetime, limit: int) -> list[SafeName]:
        rows = self._conn.execute(
            "SELECT s.id FROM sessions s WHERE s.space = ? AND s.turns > 0 AND s.last_at < ?"
            " AND NOT EXISTS (SELECT 1 FROM episodes e JOIN turns t ON t.space = e.space"
            "  AND t.id = e.last_turn WHERE e.space = s.space AND e.session = s.id"
            "  AND t.session = s.number AND t.idx = (SELECT max(l.idx) FROM turns l"
            "   WHERE l.space = s.space AND l.session = s.number))"
            " ORDER BY s.last_at DESC, s.number LIMIT ?",
            (self._space, codec.to_micros(before), limit),
        )
        return [id_ for (id_,) in rows]

    def transcript(self, session: str) -> Transcript | None:
        transcripts = self._transcripts("AND s.id = ?", session)
        return transcripts[0] if transcripts else None

    def untranscribed(self, session: str) -> list[Turn]:
        return self._beyond(
            "ifnull((SELECT doc FROM transcripts r"
            " WHERE r.space = s.space AND r.session = s.number), -1)",
            session,
        )

    def mark_transcribed(self, transcript: Transcript) -> None:
        self._conn.execute(
            "INSERT INTO transcripts"
            " SELECT s.space, s.number, max(t.doc), ?, ? FROM sessions s"
            " JOIN turns t ON t.space = s.space AND t.session = s.number"
            " WHERE s.space = ? AND s.id = ? GROUP BY s.space, s.number"
            " ON CONFLICT (space, session) DO UPDATE SET doc = excluded.doc,"
            " bytes = excluded.bytes, last_at = excluded.last_at",
            (
                transcript.bytes,
                codec.to_micros(transcript.last_at),
                self._space,
                transcript.session,
            ),
        )

    def old_transcripts(self, before: datetime) -> list[Transcript]:
        return self._transcripts("AND r.last_at < ?", codec.to_micros(before))

    def drop_transcript(self, session: str) -> None:
        self._conn.execute(
            "DELETE FROM transcripts WHERE space = ? AND session ="
            " (SELECT number FROM sessions WHERE space = ? AND id = ?)",
            (self._space, self._space, session),
        )

    def _transcripts(self, rest: str, value: Any) -> list[Transcript]:
        rows = self._conn.execute(
            "SELECT s.id, r.bytes, r.last_at FROM transcripts r"
            " JOIN sessions s ON s.space = r.space AND s.number = r.session WHERE r.space = ?"
            f" {rest}",
            (self._space, value),
        )
        return [Transcript(id_, size, codec.from_micros(at)) for id_, size, at in rows]

    def _beyond(self, watermark: str, session: str) -> list[Turn]:
        rows = self._conn.execute(
            f"SELECT {_TURN} {_FROM} WHERE s.space = ? AND s.id = ? AND t.space = s.space"
            f" AND t.doc > {watermark} ORDER BY t.doc",
            (self._space, session),
        )
        return [_turn(row) for row in rows]


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
        row.content,
        codec.dump_calls(row.tool_calls),
        codec.dump_results(row.tool_results),
        codec.to_micros(row.at),
        codec.zone_minutes(row.at),
        row.tokens,
        row.channel,
        row.sender,
        row.trust,
        row.claim is not None,
        codec.dump_metadata(row.metadata),
    )


def _turn(row: tuple[Any, ...]) -> Turn:
    (id_, session, idx, role, content, at, zone, sender, channel) = row[:9]
    calls, results, tokens, trust, state, reason, metadata = row[9:]
    return Turn(
        id=id_,
        session=session,
        index=idx,
        role=role,
        content=content,
        at=codec.from_micros(at, zone),
        sender=sender,
        channel=channel,
        tool_calls=codec.load_calls(calls),
        tool_results=codec.load_results(results),
        tokens=tokens,
        trust=trust,
        state=state,
        reason=reason,
        metadata=codec.load_metadata(metadata),
    )
