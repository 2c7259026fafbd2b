"""Taking records out for good: rows, index, vectors, and what points to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Any

from mnemic.plain import plain
from mnemic.store import codec
from mnemic.store.erasure import (
    Removal,
    Rewrite,
    StoredText,
    StoredTextKind,
    Stretch,
)
from mnemic.store.rows import TABLES, first_doc, last_doc, number_of
from mnemic.store.sql.part import Part
from mnemic.store.sql.text_columns import STORED, stored_texts
from mnemic.types import RECORD_TYPES, RecordType, SafeName, SafeText, Trust

_TIMES: dict[RecordType, str] = {
    "turn": "at",
    "memory": "created_at",
    "episode": "started_at",
    "attachment": "created_at",
}
_LISTED = "IN (SELECT value FROM json_each(:ids))"
_NUMBERED = "IN (SELECT atom FROM json_each(:ids))"
_CLAMPED = (
    "ifnull((SELECT max(doc) FROM turns WHERE +space = :space"
    " AND doc BETWEEN :first AND :last), -1)"
)


class SqlEraser(Part):
    """Forgetting in one space on one connection."""

    # --- finding --------------------------------------------------------------------------------

    def stored_texts(self, kinds: Collection[StoredTextKind]) -> Iterator[StoredText]:
        """Everything of these kinds, with its texts."""
        return stored_texts(self._conn, self._space, kinds)

    def stored(self, kind: StoredTextKind, id_: str) -> str:
        """The text of one of them as it is stored: plain, or JSON."""
        table, column, key = STORED[kind]
        value = self._conn.execute(
            f"SELECT {column} FROM {table} WHERE space = ? AND {key} = ?", (self._space, id_)
        ).get
        return str(value or "")

    def turns_of(
        self,
        *,
        session: SafeName | None = None,
        sender: SafeName | None = None,
        trust: Trust | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[str]:
        """The ids of turns; every argument narrows the choice."""
        return self._ids(
            "turns t",
            {
                "t.session = (SELECT number FROM sessions WHERE space = t.space AND id = ?)": (
                    session
                ),
                "t.sender = ?": sender,
                "t.trust = ?": trust,
                "t.at >= ?": codec.maybe_to_micros(since),
                "t.at < ?": codec.maybe_to_micros(until),
            },
        )

    def records_of(
        self,
        type_: RecordType,
        *,
        session: SafeName | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[str]:
        """The ids of records; a memory's session is the one it ends with."""
        time = f"t.{_TIMES[type_]}"
        return self._ids(
            f"{TABLES[type_]} t",
            {
                "t.session = ?": session,
                f"{time} >= ?": codec.maybe_to_micros(since),
                f"{time} < ?": codec.maybe_to_micros(until),
            },
        )

    def _ids(self, table: str, conditions: dict[str, Any]) -> list[str]:
        given = {text: value for text, value in conditions.items() if value is not None}
        rest = "".join(f" AND {text}" for text in given)
        rows = self._conn.execute(
            f"SELECT t.id FROM {table} WHERE t.space = ?{rest} ORDER BY t.doc",
            (self._space, *given.values()),
        )
        return [id_ for (id_,) in rows]

    def derived(self, turns: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Memories that came from any of the turns, each with all turns it came from."""
        by_memory: dict[str, tuple[str, ...]] = {}
        for memory, turn in self._conn.execute(
            "SELECT a.memory, a.turn FROM memory_sources a WHERE a.space = :space AND a.memory IN"
            f" (SELECT memory FROM memory_sources WHERE space = :space AND turn {_LISTED})",
            self._listed(turns),
        ):
            by_memory[memory] = (*by_memory.get(memory, ()), turn)
        return by_memory

    def stretches(self, turns: Collection[str]) -> list[Stretch]:
        """Episodes that tell of any of the turns."""
        rows = self._conn.execute(
            "SELECT DISTINCT e.id FROM json_each(:ids) d"
            " CROSS JOIN turns t ON t.space = :space AND t.id = d.value"
            " CROSS JOIN sessions s ON s.space = t.space AND s.number = t.session"
            " CROSS JOIN episodes e ON e.space = t.space AND e.session IN (s.id, '')"
            " AND t.at BETWEEN e.started_at AND e.ended_at",
            self._listed(turns),
        )
        return self.stretches_of([id_ for (id_,) in rows])

    def stretches_of(self, episodes: Collection[str]) -> list[Stretch]:
        """These episodes, each with the turns it tells of."""
        stored = self._unit.episodes.by_id(list(episodes))
        return [Stretch(episode, self._told_of(episode.id)) for episode in stored]

    def _told_of(self, episode: str) -> tuple[SafeName, ...]:
        rows = self._conn.execute(
            "SELECT t.id FROM episodes e JOIN turns t ON t.space = e.space"
            " AND t.at BETWEEN e.started_at AND e.ended_at JOIN sessions s"
            " ON s.space = t.space AND s.number = t.session WHERE e.space = ? AND e.id = ? AND"
            " e.session IN (s.id, '') ORDER BY t.at, t.doc",
            (self._space, episode),
        )
        return tuple(id_ for (id_,) in rows)

    def docs(self, type_: RecordType, ids: Collection[str]) -> list[int]:
        rows = self._conn.execute(
            f"SELECT doc FROM {TABLES[type_]} WHERE space = :space AND id {_LISTED}",
            self._listed(ids),
        )
        return [doc for (doc,) in rows]

    def only_in(self, terms: Iterable[str], docs: Collection[int]) -> set[str]:
        """Those of the terms that no other document of the space holds."""
        return {term for term in terms if all(doc in docs for doc in self._holding(term))}

    def held_terms(self, terms: Iterable[str]) -> set[str]:
        """Those of the terms that some document of the space holds."""
        return {term for term in terms if next(self._holding(term), None) is not None}

    def still_there(self, texts: Collection[str]) -> set[str]:
        """Those of the texts that some record of the space consists of."""
        present: set[str] = set()
        for table, column in (
            ("turns", "content"),
            ("memories", "content"),
            ("episodes", "summary"),
            ("attachments", "description"),
            ("daily_events", "summary"),
        ):
            rows = self._conn.execute(
                f"SELECT {column} FROM {table} WHERE space = :space AND {column} {_LISTED}",
                self._listed(texts),
            )
            present.update(text for (text,) in rows)
        return present

    # --- removing -------------------------------------------------------------------------------

    def remove(self, removal: Removal) -> None:
        """Take records out, and everything that is only about them."""
        self._unit.overwrite()
        # Answers may say anything that was recorded.
        self._conn.execute("DELETE FROM replies WHERE space = ?", (self._space,))
        self._unlink(removal.memories)
        sessions = self._sessions_of(removal)
        for type_ in RECORD_TYPES:
            ids = removal.of(type_)
            docs = self.docs(type_, ids)
            if docs:
                self._remove_docs(type_, docs)
                self._do(f"DELETE FROM events WHERE space = :space AND subject {_LISTED}", ids)
                self._do(f"DELETE FROM jobs WHERE space = :space AND key {_LISTED}", ids)
        self._do(
            f"DELETE FROM memory_sources WHERE space = :space AND turn {_LISTED}", removal.turns
        )
        self._do(
            f"UPDATE memories SET episode = '' WHERE space = :space AND episode {_LISTED}",
            removal.episodes,
        )
        for table, column in (("daily_events", "id"), ("events", "subject")):
            self._do(
                f"DELETE FROM {table} WHERE space = :space AND {column} {_LISTED}",
                removal.daily_events,
            )
        self._shorten_sessions(sessions)
        self._lower_marks()
        self._unit.text_stats.forget()

    def _remove_docs(self, type_: RecordType, docs: list[int]) -> None:
        """Numbers are never left in an index: the next record may get the highest again."""
        self._unit.index.remove(self._conn, self._space, docs)
        for table in (TABLES[type_], "vectors", "changed_texts", "turn_tools"):
            scope = "space = :space"
            if table == "vectors":  # its index begins with the embedder
                scope += " AND embedder IN (SELECT number FROM embedders)"
            self._do(f"DELETE FROM {table} WHERE {scope} AND doc {_NUMBERED}", docs)
        self._conn.execute(
            "INSERT INTO vector_rewrites VALUES (?, 1)"
            " ON CONFLICT (space) DO UPDATE SET count = vector_rewrites.count + 1",
            (number_of(self._space, type_),),
        )

    def _unlink(self, memories: Collection[str]) -> None:
        """Versions that stay are joined again over those that go; lists lose the ids."""
        if not memories:
            return
        removed: dict[str, str] = dict(
            self._conn.execute(
                f"SELECT id, superseded_by FROM memories WHERE space = :space AND id {_LISTED}",
                self._listed(memories),
            )
        )
        self._do(
            "UPDATE memories SET valid_to = NULL, superseded_by = '' WHERE space = :space"
            f" AND status = 'active' AND superseded_by {_LISTED}",
            memories,
        )
        rows: list[Any] = self._conn.execute(
            "SELECT id, superseded_by FROM memories WHERE space = :space"
            f" AND superseded_by {_LISTED}",
            self._listed(memories),
        ).fetchall()
        for id_, next_ in rows:
            seen: set[str] = set()
            while next_ in removed and next_ not in seen:
                seen.add(next_)
                next_ = removed[next_]  # noqa: PLW2901 - walks along the chain
            self._conn.execute(
                "UPDATE memories SET superseded_by = ? WHERE space = ? AND id = ?",
                (next_ if next_ not in removed else "", self._space, id_),
            )
        for table in ("memory_sources", "document_choices"):
            self._do(f"DELETE FROM {table} WHERE space = :space AND memory {_LISTED}", memories)
        for table in ("episodes", "attachments"):
            self._do(
                f"UPDATE {table} SET memories = (SELECT json_group_array(m.value)"
                f" FROM json_each({table}.memories) m"
                "  WHERE m.value NOT IN (SELECT value FROM json_each(:ids)))"
                " WHERE space = :space AND EXISTS (SELECT 1 FROM json_each("
                f"{table}.memories) m WHERE m.value {_LISTED})",
                memories,
            )

    def _sessions_of(self, removal: Removal) -> list[int]:
        rows = self._conn.execute(
            f"SELECT DISTINCT session FROM turns WHERE space = :space AND id {_LISTED}"
            " UNION SELECT number FROM sessions WHERE space = :space"
            " AND id IN (SELECT value FROM json_each(:sessions))",
            {**self._listed(removal.turns), "sessions": codec.dump(list(removal.sessions))},
        )
        return [number for (number,) in rows]

    def _shorten_sessions(self, numbers: list[int]) -> None:
        """Count what is left; a session of which nothing is left goes, with its jobs and marks."""
        self._do(
            "UPDATE sessions SET turns = (SELECT count(*) FROM turns t WHERE t.space ="
            f" sessions.space AND t.session = number) WHERE space = :space AND number {_NUMBERED}",
            numbers,
        )
        empty = dict(
            self._conn.execute(
                "SELECT number, id FROM sessions WHERE space = :space AND turns = 0"
                f" AND number {_NUMBERED}",
                self._listed(numbers),
            )
        )
        self._do(f"DELETE FROM sessions WHERE space = :space AND number {_NUMBERED}", list(empty))
        self._do(
            f"DELETE FROM transcripts WHERE space = :space AND session {_NUMBERED}", list(empty)
        )
        names = list(empty.values())
        self._do(f"DELETE FROM echo_lines WHERE space = :space AND session {_LISTED}", names)
        self._do(  # variables of the host, and where its window begins
            "DELETE FROM events WHERE space = :space"
            f" AND type IN ('session.variables', 'session.cleared') AND subject {_LISTED}",
            names,
        )
        keys = [key for name in names for key in (name, f"{name}\nquiet")]
        self._do(f"DELETE FROM jobs WHERE space = :space AND key {_LISTED}", keys)

    def _lower_marks(self) -> None:
        """No mark stands above the last record, whose number the next one follows."""
        for type_ in RECORD_TYPES:
            bounds = {
                "space": self._space,
                "first": first_doc(self._space, type_),
                "last": last_doc(self._space, type_),
            }
            highest = self._conn.execute(
                f"SELECT max(doc) FROM {TABLES[type_]} WHERE +space = :space"
                " AND doc BETWEEN :first AND :last",
                bounds,
            ).get
            change = "UPDATE embedded SET doc = min(doc, ?1)"
            if highest is None:
                change = "DELETE FROM embedded"
            self._conn.execute(
                f"{change} WHERE space = ?2 AND type = ?3", (highest, self._space, type_)
            )
        turns = {"first": first_doc(self._space, "turn"), "last": last_doc(self._space, "turn")}
        for table, column in (
            ("sessions", "digested"),
            ("sessions", "extracted"),
            ("transcripts", "doc"),
        ):
            self._conn.execute(
                f"UPDATE {table} SET {column} = {_CLAMPED} WHERE space = :space"
                f" AND {column} > {_CLAMPED}",
                {"space": self._space, **turns},
            )

    # --- rewriting ------------------------------------------------------------------------------

    def retell(self, stretch: Stretch, terms: SafeText) -> None:
        """Replace what an episode says by the story of these turns of its session."""
        episode, last_turn = stretch.episode, stretch.turns[-1]
        taken = self._conn.execute(
            "SELECT 1 FROM episodes WHERE space = ? AND session = ? AND source = ?"
            " AND last_turn = ? AND id != ?",
            (self._space, episode.session, episode.source, last_turn, episode.id),
        ).get
        doc = self._conn.execute(
            "UPDATE episodes SET summary = ?, goal = ?, outcome = ?, started_at = ?, ended_at = ?,"
            " actions = ?, entities = ?, tools = ?, tags = ?, last_turn = ?"
            " WHERE space = ? AND id = ? RETURNING doc",
            (
                episode.summary,
                episode.goal,
                episode.outcome,
                codec.to_micros(episode.started_at),
                codec.to_micros(episode.ended_at),
                codec.dump(plain(episode.actions)),
                codec.dump(episode.entities),
                codec.dump(episode.tools),
                codec.dump(episode.tags),
                "" if taken else last_turn,
                self._space,
                episode.id,
            ),
        ).get
        if doc is not None:
            self._do(f"DELETE FROM vectors WHERE space = :space AND doc {_NUMBERED}", [doc])
            self._unit.text.replace({doc: terms})

    def rewrite(self, change: Rewrite) -> None:
        """Put other words in the place of a stored text."""
        table, column, key = STORED[change.kind]
        self._conn.execute(
            f"UPDATE {table} SET {column} = ? WHERE space = ? AND {key} = ?",
            (change.text, self._space, change.id),
        )

    def learn_again(self, turns: Collection[str]) -> list[SafeName]:
        """Let turns wait for extraction once more; says in which sessions they are."""
        rows: list[Any] = self._conn.execute(
            "UPDATE turns SET state = 'new', reason = '' WHERE space = :space"
            f" AND id {_LISTED} AND state = 'extracted' RETURNING session, doc",
            self._listed(turns),
        ).fetchall()
        for number, doc in rows:
            self._conn.execute(
                "UPDATE sessions SET extracted = min(extracted, ?) WHERE space = ? AND number = ?",
                (doc - 1, self._space, number),
            )
        changed = self._conn.execute(
            f"SELECT id FROM sessions WHERE space = :space AND number {_NUMBERED} ORDER BY number",
            self._listed({number for number, _ in rows}),
        )
        return [id_ for (id_,) in changed]

    def drop_cached(self, hashes: Collection[bytes]) -> None:
        """Vectors that were kept by the hash of their text."""
        self._conn.executemany(
            "DELETE FROM embedding_cache WHERE space = ?"
            " AND embedder IN (SELECT number FROM embedders) AND hash = ?",
            [(self._space, hash_) for hash_ in hashes],
        )

    def drop_echoes(self, marks: Collection[int]) -> None:
        """Lines that went into prompts and share a mark with these."""
        self._unit.echoes.drop_marked(frozenset(marks))

    def end_job(self, kind: str, key: str) -> None:
        """Remove a job, whoever holds it, and every byte of what it was about."""
        self._unit.overwrite()
        self._conn.execute(
            "DELETE FROM jobs WHERE space = ? AND kind = ? AND key = ?", (self._space, kind, key)
        )

    def drop_vectors(self, docs: Collection[int]) -> None:
        """Vectors of texts that have changed."""
        self._do(f"DELETE FROM vectors WHERE space = :space AND doc {_NUMBERED}", docs)

    # --- parts ----------------------------------------------------------------------------------

    def _holding(self, term: str) -> Iterator[int]:
        return self._unit.index.holding(self._conn, self._space, term)

    def _listed(self, ids: Collection[Any]) -> dict[str, Any]:
        return {"space": self._space, "ids": codec.dump(list(ids))}

    def _do(self, statement: str, ids: Collection[Any]) -> None:
        if ids:
            self._conn.execute(statement, self._listed(ids))
