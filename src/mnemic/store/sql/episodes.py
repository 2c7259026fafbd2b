"""Episodes: the stories of sessions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from mnemic.errors import NotFound
from mnemic.plain import plain
from mnemic.store import codec
from mnemic.store.rows import EpisodeSpan
from mnemic.store.sql.connection import SqlConnection
from mnemic.store.sql.terms import TermIndex, add_terms, next_doc, set_terms
from mnemic.types import Episode, Outcome, SafeName, SafeText

_COLUMNS = (
    "id, session, summary, goal, outcome, started_at, ended_at, actions, entities, tools, memories,"
    " tags, importance, access_count, source"
)
_NAMES = "EXISTS (SELECT 1 FROM json_each({}) WHERE lower(value) = lower(?))"
_LATEST = "ORDER BY started_at DESC, doc DESC LIMIT ?"


class SqlEpisodes:
    """The episodes of one space on one connection."""

    index: TermIndex

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def add(self, episode: Episode, terms: SafeText, *, last_turn: str) -> Episode:
        doc = next_doc(self._conn, self._space, "episode")
        self._conn.execute(
            f"INSERT INTO episodes (space, doc, {_COLUMNS}, last_turn)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)",
            (
                self._space,
                doc,
                episode.id,
                episode.session,
                episode.summary,
                episode.goal,
                episode.outcome,
                codec.to_micros(episode.started_at),
                codec.to_micros(episode.ended_at),
                codec.dump(plain(episode.actions)),
                codec.dump(episode.entities),
                codec.dump(episode.tools),
                codec.dump(episode.memories),
                codec.dump(episode.tags),
                episode.importance,
                episode.source,
                last_turn,
            ),
        )
        add_terms(self.index, self._conn, self._space, doc, terms)
        self._link_back(episode.id, episode.memories)
        return self.by_id([episode.id])[0]

    def revise(self, episode: Episode, terms: SafeText) -> Episode:
        """Tell an episode in other words."""
        doc = self._conn.execute(
            "UPDATE episodes SET summary = ?, goal = ?, outcome = ?, entities = ?, tags = ?,"
            " importance = ? WHERE space = ? AND id = ? RETURNING doc",
            (
                episode.summary,
                episode.goal,
                episode.outcome,
                codec.dump(episode.entities),
                codec.dump(episode.tags),
                episode.importance,
                self._space,
                episode.id,
            ),
        ).get
        if doc is None:
            raise NotFound(f"No episode {episode.id}", remedy="See episodes()")
        set_terms(self.index, self._conn, self._space, doc, terms)
        return self.by_id([episode.id])[0]

    def link(self, id_: str, memories: Sequence[str]) -> None:
        stored = self.by_id([id_])
        if stored:
            linked = dict.fromkeys((*stored[0].memories, *memories))
            self._conn.execute(
                "UPDATE episodes SET memories = ? WHERE space = ? AND id = ?",
                (codec.dump(list(linked)), self._space, id_),
            )
            self._link_back(id_, memories)

    def _link_back(self, id_: str, memories: Sequence[str]) -> None:
        self._conn.execute(
            "UPDATE memories SET episode = ? WHERE space = ? AND episode = ''"
            " AND id IN (SELECT value FROM json_each(?))",
            (id_, self._space, codec.dump(list(memories))),
        )

    def touch(self, id_: str, uses: int) -> None:
        self._conn.execute(
            "UPDATE episodes SET access_count = access_count + ? WHERE space = ? AND id = ?",
            (uses, self._space, id_),
        )

    def by_id(self, ids: Sequence[str]) -> list[Episode]:
        return self._select(
            "id IN (SELECT value FROM json_each(?)) ORDER BY id", (codec.dump(list(ids)),)
        )

    def of_stretch(self, session: str, source: str, last_turn: str) -> Episode | None:
        """The episode that tells of the turns up to this one."""
        stored = self._select(
            "session = ? AND source = ? AND last_turn = ? AND last_turn != ''",
            (session, source, last_turn),
        )
        return stored[0] if stored else None

    def covered(self, session: str, source: str | None) -> list[int]:
        """Up to which turns of a session there are episodes: the index of the last of each."""
        rows = self._conn.execute(
            "SELECT DISTINCT t.idx FROM episodes e JOIN turns t ON t.space = e.space"
            " AND t.id = e.last_turn WHERE e.space = ? AND e.session = ?"
            " AND (? IS NULL OR e.source = ?) ORDER BY t.idx",
            (self._space, session, source, source),
        )
        return [index for (index,) in rows]

    def spans(self, session: str) -> list[EpisodeSpan]:
        rows = self._conn.execute(
            "SELECT e.id, e.started_at, t.idx FROM episodes e JOIN turns t ON t.space = e.space"
            " AND t.id = e.last_turn WHERE e.space = ? AND e.session = ? ORDER BY e.doc",
            (self._space, session),
        )
        return [EpisodeSpan(id_, codec.from_micros(since), last) for id_, since, last in rows]

    def latest(
        self,
        *,
        session: str | None,
        since: datetime | None,
        until: datetime | None,
        limit: int,
        entity: SafeName | None = None,
        tool: SafeName | None = None,
        outcome: Outcome | None = None,
    ) -> list[Episode]:
        """Those that began in that time, about that and with that tool, the latest first."""
        clauses, values = ["true"], []
        for clause, value in (
            ("session = ?", session),
            ("started_at >= ?", codec.maybe_to_micros(since)),
            ("started_at < ?", codec.maybe_to_micros(until)),
            (_NAMES.format("entities"), entity),
            (_NAMES.format("tools"), tool),
            ("outcome = ?", outcome),
        ):
            if value is not None:
                clauses.append(clause)
                values.append(value)
        return self._select(f"{' AND '.join(clauses)} {_LATEST}", (*values, limit))

    def _select(self, rest: str, values: tuple[Any, ...]) -> list[Episode]:
        rows = self._conn.execute(
            f"SELECT {_COLUMNS} FROM episodes WHERE space = ? AND {rest}", (self._space, *values)
        )
        return [_episode(row) for row in rows]


def _episode(row: tuple[Any, ...]) -> Episode:
    (id_, session, summary, goal, outcome, started_at, ended_at, actions) = row[:8]
    (entities, tools, memories, tags, importance, accesses, source) = row[8:]
    return Episode(
        id=id_,
        session=session,
        summary=summary,
        goal=goal,
        outcome=outcome,
        started_at=codec.from_micros(started_at),
        ended_at=codec.from_micros(ended_at),
        actions=codec.load_actions(actions),
        entities=codec.load_words(entities),
        tools=codec.load_words(tools),
        memories=codec.load_words(memories),
        tags=codec.load_words(tags),
        importance=importance,
        access_count=accesses,
        source=source,
    )
