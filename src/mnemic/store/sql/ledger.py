"""Sessions and turns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache, reduce
from itertools import chain
from typing import Any

from mnemic.errors import Conflict, NotFound
from mnemic.rules.speakers import FOREIGN, UNREAD, Speech, least_trusted, speaker_mark, with_claim
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
from mnemic.store.sql.part import Fields, Part, SqlRows, narrow, read_statements
from mnemic.store.sql.scope import fill_condition
from mnemic.types import EMPTY, SafeName, SafeText, SessionInfo, Trust, Turn, TurnState

_TURN = Fields(
    Turn,
    "id session index role text at sender channel tool_calls:calls tool_results:results tokens"
    " trust state reason metadata:metadata",
    "t.",
    session="s.id",
    index="t.idx",
    text="t.content",
)
_SESSION = Fields(
    SessionInfo,
    "id project topic started_at:time last_at:time ended_at:time? turns",
    table="sessions",
)
_OF_SESSIONS = read_statements("sql/session_filters")
_FILTERS = {
    "session": "s.space = t.space AND s.id = :session",
    "project": "s.project = :project",
    "since": "t.at >= :since",
    "until": "t.at < :until",
    "role": "t.role = :role",
}
_WITH_IDS = ("memories", "turns", "episodes", "attachments", "jobs")
_COLUMNS = f"{_TURN.columns}, t.zone"
_AT = _TURN.names.index("at")
_TRANSCRIPT = Fields(Transcript, "session bytes last_at:time", "r.", session="s.id")
_FROM = "FROM turns t JOIN sessions s ON s.space = t.space AND s.number = t.session"
_IN_SESSION = f"{_FROM} WHERE s.space = :space AND s.id = :session AND t.space = s.space"
_AT_ONCE = 200  # turns: few calls for a large batch, and a statement short enough to be kept ready
_SQL = read_statements("sql/ledger")
_INSERT = f"INSERT INTO turns VALUES {_SQL['turn values']}"
_INSERT_MANY = f"INSERT INTO turns VALUES {', '.join([_SQL['turn values']] * _AT_ONCE)}"
# A turn asks when a question mark stands near its end; a short text has at most so many bytes.
_PLACE = _SQL["place"].format(short=4 * SHORT_TEXT, end=PLACE_END)
_PLACES = f"SELECT {_PLACE} {_SQL['places']}"
_PLACES_AROUND = f"SELECT {_PLACE} {_SQL['places_around']}"


class _Append:
    """One append in progress: what is known of a session, and the rows still to be written."""

    def __init__(self, number: int, next_idx: int, turns: int, speaker: int, shared: int) -> None:
        self.number = number
        self.next_idx = next_idx
        self.turns = turns
        self.speech = Speech(speaker, bool(shared))
        self.last_at = 0
        self.waiting: dict[int, TurnRow] = {}


class SqlLedger(Part):
    """The ledger of one space on one connection."""

    statements = _SQL

    # --- sessions -------------------------------------------------------------------------------

    def open_session(
        self, session: SafeName, project: SafeName, topic: SafeName, at: datetime
    ) -> None:
        self._run("open_session", session=session, project=project, topic=topic, at=at)

    def end_session(self, session: SafeName, at: datetime) -> None:
        self._run("end_session", session=session, at=at)

    def session(self, session: SafeName) -> SessionInfo | None:
        return self._first(_SESSION, "id = :session", session=session)

    def ids_beginning(self, prefix: str, limit: int) -> list[SafeName]:
        """Ids of records of any kind that begin so, by the index of each table."""
        bounds = {"first": prefix, "last": f"{prefix}~", "most": limit}
        ids = (self._column(self._sql("ids_beginning", table=t), **bounds) for t in _WITH_IDS)
        return list(chain.from_iterable(ids))[:limit]

    def sessions(
        self,
        limit: int = 100,
        offset: int = 0,
        *,
        project: SafeName | None = None,
        text: SafeName | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[SessionInfo]:
        """Conversations by the time of their last turn, the latest first."""
        filters = {"project": project, "text": text, "since": since, "until": until}
        order = "ORDER BY last_at DESC, number DESC LIMIT :limit OFFSET :offset"
        clause = f"{narrow(_OF_SESSIONS, filters)} {order}"
        return self._list(_SESSION, clause, **filters, limit=limit, offset=offset)

    # --- appending ------------------------------------------------------------------------------

    def append(self, rows: Sequence[TurnRow]) -> list[Placed]:
        """Write turns in order; known ones stay, another turn in the same place is a conflict."""
        if self._unit.admission is not None:
            self._unit.admission.admit(self._unit, "turns", len(rows))
        if len(rows) == 1 and rows[0].idx is None:
            return [self._append_one(rows[0])]
        begun = self._begin(rows)
        placed: list[Placed] = []
        fresh: list[tuple[TurnRow, int, int]] = []
        for original in rows:
            row, state = original, begun[original.session]
            index = state.next_idx if row.idx is None else row.idx
            if index < state.next_idx and self._is_known(state, index, row):
                placed.append(Placed(index, added=False))
                continue
            disowned = False
            if row.claim is not None and (
                state.speech.shared or row.claim != state.speech.speaker or row.claim == FOREIGN
            ):
                row, state.speech, disowned = self.claim(row, state.number, state.speech)
            state.waiting[index] = row
            state.turns += 1
            if index >= state.next_idx:
                state.next_idx = index + 1
            external = row is not original
            placed.append(Placed(index, added=True, external=external, disowned=disowned))
            fresh.append((row, state.number, index))
        if fresh:
            self._write(fresh, begun)
        return placed

    def _append_one(self, row: TurnRow) -> Placed:
        """What each turn of a conversation does: to the end of its session, in two statements."""
        space, conn = self._space, self._conn
        first = first_doc(space, "turn")
        bounds = (space, first, last_doc(space, "turn"), first, space, row.session)
        end: Any = conn.execute(_SQL["end"], bounds).fetchone()
        if end is None:
            self.open_session(row.session, EMPTY, EMPTY, row.at)
            end = conn.execute(_SQL["end"], bounds).fetchone()
        number, index, speaker, shared, doc = end
        disowned, original = False, row
        # The same one person as before, by far the most common, changes nothing.
        if row.claim is not None and (shared or row.claim != speaker or row.claim == FOREIGN):
            row, _, disowned = self.claim(row, number, Speech(speaker, bool(shared)))
        turn = _columns(space, doc, number, index, row)
        lists = self._unit.index
        indexed = lists.values(doc, row.terms, row.packed)
        grown = (index + 1, turn[9], space, number)
        conn.execute(_append(lists.insert), (*turn, *grown, *indexed))
        if row.tool_calls:
            self._add_tools([(row, doc)])
        return Placed(index, added=True, external=row is not original, disowned=disowned)

    def _begin(self, rows: Sequence[TurnRow]) -> dict[str, _Append]:
        """The ends of the sessions of these turns, each begun if it is new."""
        first: dict[str, datetime] = {}
        for row in rows:
            first.setdefault(row.session, row.at)
        begun = self._ends(list(first))
        new = [(id_, codec.to_micros(at)) for id_, at in first.items() if id_ not in begun]
        if new:
            self._run("begin_sessions", new=new)
            begun |= self._ends([id_ for id_, _ in new])
        return begun

    def _ends(self, sessions: Sequence[str]) -> dict[str, _Append]:
        return {id_: _Append(*rest) for id_, *rest in self._run("ends", sessions=sessions)}

    def _is_known(self, state: _Append, index: int, row: TurnRow) -> bool:
        same: tuple[Any, ...] | None
        if index in state.waiting:
            other = state.waiting[index]
            same = (other.role, other.text, other.tool_calls, other.tool_results)
        else:
            stored = self._run("said_at", number=state.number, index=index).fetchone()
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
        self._unit.index.add_many(docs, terms, packed)
        if tools:
            self._add_tools(tools)
        grown = [(s.turns, s.next_idx, s.last_at, s.number) for s in begun.values() if s.waiting]
        self._run("grow_sessions", grown=grown)

    def _insert_turns(self, turns: Sequence[tuple[Any, ...]]) -> None:
        singles = len(turns) % _AT_ONCE
        self._conn.executemany(_INSERT, turns[:singles])
        for start in range(singles, len(turns), _AT_ONCE):
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

    # --- who speaks: what a turn's trust rests on, and what changes it ----------------------------

    def claim(self, row: TurnRow, number: int, speech: Speech) -> tuple[TurnRow, Speech, bool]:
        """The turn with its trust, its session's speech, and whether that was the owner's."""
        before = speech
        if speech.speaker == UNREAD:  # recorded before this was kept
            marks = map(speaker_mark, self._column("speech", number=number))
            before = reduce(with_claim, marks, Speech())
        after = before if row.claim is None else with_claim(before, row.claim)
        if after != speech:
            self._run("set_speech", number=number, speaker=after.speaker, shared=after.shared)
        if after.shared and row.trust == "owner":
            row = row._replace(trust="external")
        return row, after, after.shared and not speech.shared

    def claimants(self, session: SafeName) -> list[str]:
        """The senders whose user turns are the owner's because nobody else spoke."""
        return self._column("claimants", session=session)

    def disown(self, session: SafeName, senders: Sequence[str]) -> list[str]:
        """Make such turns of these senders external; says which turns."""
        return self._column("disown", session=session, senders=senders)

    def least_trust(self, session: SafeName) -> Trust | None:
        """The least trust of what was said in a session, tools included."""
        rows = self._run("least_trust", session=session)
        trusts: list[Trust] = [
            "tool" if used and trust in ("owner", "agent") else trust for trust, used in rows
        ]
        return least_trusted(trusts) if trusts else None

    # --- reading --------------------------------------------------------------------------------

    def turns(self, wanted: TurnFilter) -> list[Turn]:
        values = {name: getattr(wanted, name) for name in wanted.__slots__}
        chosen = {name: values[name] for name in _FILTERS}
        clauses, joined = [narrow(_FILTERS, chosen)], _FROM
        if wanted.state is not None:
            # Few turns are in trouble; of any other state there are too many to be sorted.
            state = "t.state" if wanted.state in ("failed", "dead") else "+t.state"
            clauses.append(f"{state} = :state")
        if wanted.having:
            clauses.append(fill_condition("has metadata", "t."))
        if wanted.tool is not None:
            joined += " JOIN turn_tools u ON u.space = t.space AND u.doc = t.doc AND u.name = :tool"
        order = "t.session, t.idx" if wanted.session else "t.at, t.doc"
        if wanted.newest_first:
            order = ", ".join(f"{column} DESC" for column in order.split(", "))
        return self._select(
            f"{joined} WHERE t.space = :space AND {' AND '.join(clauses)}"
            f" ORDER BY {order} LIMIT :limit OFFSET :offset",
            **values,
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
        statement = f"SELECT t.doc, {_COLUMNS} {_SQL['turns_by_doc']}"
        return {doc: _read_turn(row) for doc, *row in self._of_docs(statement, docs)}

    def read_owned(self, docs: Sequence[int], most: int) -> dict[int, str]:
        """What the owner says in those of the turns that are not longer than ``most``."""
        return dict(self._of_docs(_SQL["said_by_owner"], docs, most))

    def places(self, docs: Sequence[int]) -> list[Place]:
        """The turns among the documents."""
        return list(map(Place._make, self._of_docs(_PLACES, docs)))

    def places_around(self, docs: Sequence[int], reach: int) -> list[Place]:
        """The turns and those within reach of them in their session; some may come twice."""
        return list(map(Place._make, self._of_docs(_PLACES_AROUND, docs, reach)))

    def in_order(self, docs: Sequence[int], *, newest_first: bool) -> list[int]:
        """The turns among the documents by the time they were said."""
        ordered = [doc for (doc,) in self._of_docs(_SQL["in_order"], docs)]
        return ordered[::-1] if newest_first else ordered

    def _of_docs(self, statement: str, docs: Sequence[int], *values: Any) -> SqlRows:
        """An answer for documents, the first value of a statement; the space is its second."""
        return self._conn.execute(statement, (str(list(docs)), self._space, *values))

    def latest_docs(self, limit: int) -> list[int]:
        return self._column("latest_docs", limit=limit)

    def set_state(self, ids: Sequence[SafeName], state: TurnState, reason: SafeText) -> None:
        self._run("set_state", ids=ids, state=state, reason=reason)

    # --- how far later work has come: every turn up to here, marked in the same transaction -------

    def list_undigested(self, session: SafeName) -> list[Turn]:
        return self._beyond("s.digested", session)

    def mark_digested(self, session: SafeName, turn: SafeName | None = None) -> None:
        """Every turn of the session, or every one up to this, has its daily event."""
        self._run("mark_digested", session=session, turn=turn)

    def list_unextracted(self, session: SafeName, limit: int) -> list[Turn]:
        """Turns that have not ended in a state yet, in the order they were recorded."""
        # Not by the index of states, which most turns of a session share.
        waits = "+t.doc > s.extracted AND +t.state IN ('new', 'failed')"
        clause = f"{_IN_SESSION} AND {waits} ORDER BY t.doc LIMIT :limit"
        return self._select(clause, session=session, limit=limit)

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
        clause = f"{_IN_SESSION} AND t.idx < :index ORDER BY t.idx DESC LIMIT :limit"
        return self._select(clause, session=session, index=index, limit=limit)[::-1]

    def waiting_tokens(self, sessions: Sequence[SafeName]) -> dict[SafeName, int]:
        """The tokens of the turns of each session that nothing was learned from yet."""
        return dict.fromkeys(sessions, 0) | dict(self._run("waiting_tokens", sessions=sessions))

    def count_waiting(self, sessions: Sequence[SafeName]) -> int:
        """The turns of these sessions that nothing was learned from yet."""
        return int(self._run("count_waiting", sessions=sessions).get)

    def count_prompt(self, session: SafeName) -> int:
        """How many extractions single messages of the session have set off, with this one."""
        return int(self._run("count_prompt", session=session).get or 0)

    def sessions_to_extract(self, limit: int) -> list[SafeName]:
        """Sessions with turns that have not ended in a state, the oldest first."""
        return self._column("sessions_to_extract", limit=limit)

    def sessions_untold(self, before: datetime, limit: int) -> list[SafeName]:
        """Sessions whose last turn is older and in no episode, the latest first."""
        return self._column("sessions_untold", before=before, limit=limit)

    def transcript(self, session: SafeName) -> Transcript | None:
        return next(iter(self._transcripts("s.id = :session", session=session)), None)

    def list_untranscribed(self, session: SafeName) -> list[Turn]:
        return self._beyond(_SQL["transcribed"], session)

    def mark_transcribed(self, transcript: Transcript) -> None:
        self._run("mark_transcribed", **_TRANSCRIPT.of(transcript))

    def old_transcripts(self, before: datetime) -> list[Transcript]:
        return self._transcripts("r.last_at < :before", before=before)

    def drop_transcript(self, session: SafeName) -> None:
        self._run("drop_transcript", session=session)

    def _transcripts(self, clause: str, **values: Any) -> list[Transcript]:
        statement = f"SELECT {_TRANSCRIPT.columns} {_SQL['transcripts']} AND {clause}"
        return [_TRANSCRIPT.read(row) for row in self._run(statement, **values)]

    def _beyond(self, watermark: str, session: str) -> list[Turn]:
        rest = f"{_IN_SESSION} AND t.doc > {watermark} ORDER BY t.doc"
        return self._select(rest, session=session)

    def _select(self, clause: str, **values: Any) -> list[Turn]:
        return [_read_turn(row) for row in self._run(f"SELECT {_COLUMNS} {clause}", **values)]


@cache
def _append(index: str) -> str:
    """One turn at the end of its session; the text index last: a trigger after that flushes it."""
    return f"{_INSERT}; {_SQL['grow']}; {index}"


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
