"""Episodes: the stories of sessions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from mnemic.errors import NotFound
from mnemic.store import codec
from mnemic.store.rows import EpisodeSpan
from mnemic.store.sql.part import Fields, Part, narrow, read_statements
from mnemic.types import Episode, Outcome, SafeName, SafeText

EPISODE = Fields(
    Episode,
    "id session summary goal outcome started_at:time ended_at:time actions:actions entities:words"
    " tools:words memories:words tags:words importance access_count source",
    table="episodes",
)
_REVISED = "summary goal outcome entities tags importance".split()
_LISTS = "EXISTS (SELECT 1 FROM json_each({}) WHERE lower(value) = lower(:{}))"
_FILTERS = {
    "session": "session = :session",
    "since": "started_at >= :since",
    "until": "started_at < :until",
    "entity": _LISTS.format("entities", "entity"),
    "tool": _LISTS.format("tools", "tool"),
    "outcome": "outcome = :outcome",
}


class SqlEpisodes(Part):
    """The stories of sessions and of compressed stretches."""

    statements = read_statements("sql/episodes")

    def add(self, episode: Episode, terms: SafeText, *, last_turn: SafeName) -> Episode:
        """``last_turn`` is the id of the last turn that the episode covers."""
        doc = self._next_doc("episode")
        values = {**EPISODE.of(episode), "access_count": 0}
        self._insert("episodes", {"doc": doc, **values, "last_turn": last_turn})
        self._unit.text.add(doc, terms)
        self._run("link_back", id=episode.id, memories=episode.memories)
        return self.by_id([episode.id])[0]

    def revise(self, episode: Episode, terms: SafeText) -> Episode:
        """Tell an episode in other words."""
        doc = self._update("episodes", episode.id, EPISODE.of(episode, _REVISED)).get
        if doc is None:
            raise NotFound(f"No episode {episode.id}", remedy="See episodes()")
        self._unit.text.replace({doc: terms})
        return self.by_id([episode.id])[0]

    def link(self, id_: SafeName, memories: Sequence[SafeName]) -> None:
        """Note memories that came from an episode, and the episode with those that have none."""
        for episode in self.by_id([id_]):
            linked = list(dict.fromkeys((*episode.memories, *memories)))
            self._update("episodes", id_, {"memories": linked})
            self._run("link_back", id=id_, memories=memories)

    def touch(self, id_: str, uses: int) -> None:
        self._run("touch", id=id_, uses=uses)

    def by_id(self, ids: Sequence[str]) -> list[Episode]:
        return self._list(EPISODE, "id IN (SELECT value FROM json_each(:ids)) ORDER BY id", ids=ids)

    def of_stretch(self, session: SafeName, source: str, last_turn: str) -> Episode | None:
        """The episode that tells of the turns up to this one."""
        clause = "session = :session AND source = :source AND last_turn = :turn AND last_turn != ''"
        return self._first(EPISODE, clause, session=session, source=source, turn=last_turn)

    def list_covered(self, session: SafeName, source: str | None) -> list[int]:
        """Up to which turns of a session there are episodes: the index of the last of each."""
        return self._column("covered", session=session, source=source)

    def spans(self, session: SafeName) -> list[EpisodeSpan]:
        """What each episode of a session tells of, in the order they were written."""
        rows = self._run("spans", session=session)
        return [EpisodeSpan(id_, codec.from_micros(since), last) for id_, since, last in rows]

    def latest(
        self,
        *,
        session: SafeName | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 100,
        entity: SafeName | None = None,
        tool: SafeName | None = None,
        outcome: Outcome | None = None,
    ) -> list[Episode]:
        """Those that began in that time, about that and with that tool, the latest first."""
        filters: dict[str, Any] = {"session": session, "since": since, "until": until}
        filters |= {"entity": entity, "tool": tool, "outcome": outcome}
        order = "ORDER BY started_at DESC, doc DESC LIMIT :limit"
        return self._list(EPISODE, f"{narrow(_FILTERS, filters)} {order}", **filters, limit=limit)
