"""Taking records out for good: rows, index, vectors, and what points to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Any

from mnemic.store import codec
from mnemic.store.rows import (
    TABLES,
    Removal,
    Rewrite,
    StoredText,
    StoredTextKind,
    Stretch,
    first_doc,
)
from mnemic.store.sql.episodes import EPISODE
from mnemic.store.sql.part import Part, narrow, read_statements
from mnemic.store.sql.scope import TIMES
from mnemic.store.sql.text_columns import EXPRESSIONS, read_words, text_columns
from mnemic.types import RECORD_TYPES, RecordType, SafeName, SafeText, Trust

_KINDS: list[tuple[str, str]] = [
    *TABLES.items(), ("daily event", "daily_events"), ("session", "sessions"), ("event", "events")
]  # fmt: skip
_PORTION = 5_000  # documents that leave the text index at once
_LISTED = "IN (SELECT value FROM json_each(:ids))"
_TEXTS = [("turns", "content"), ("memories", "content"), ("episodes", "summary"),
          ("attachments", "description"), ("daily_events", "summary")]  # fmt: skip
_MARKS = [("sessions", "digested"), ("sessions", "extracted"), ("transcripts", "doc")]
_RETOLD = "summary goal outcome started_at ended_at actions entities tools tags".split()


class SqlEraser(Part):
    """Forgetting in one space on one connection."""

    statements = read_statements("sql/erasure")

    # --- finding --------------------------------------------------------------------------------

    def read_texts(self, kinds: Collection[StoredTextKind]) -> Iterator[StoredText]:
        """Everything of these kinds, with its texts."""
        for kind in kinds:
            table, columns = text_columns()[kind]
            read = [EXPRESSIONS.get(column.name, column.name) for column in columns]
            filled = f" AND {columns[0].name} != ''" if "sparse" in columns[0].holds else ""
            rows = self._run(
                f"SELECT {table.row_name}, {table.time}, {', '.join(read)} FROM {table.name}"
                f" WHERE space = :space{filled}"
            )
            for id_, at, *cells in rows:
                texts: list[str] = []
                for column, cell in zip(columns, cells, strict=True):
                    if cell and column.kind == "json":
                        texts += filter(None, read_words(column.name, codec.load(cell)))
                    elif cell:
                        texts.append(cell)
                yield StoredText(kind, codec.as_name(id_), tuple(texts), codec.from_micros(at))

    def read_text(self, kind: StoredTextKind, id_: str) -> str:
        """The text of one of them as it is stored: plain, or JSON."""
        table, (column,) = text_columns()[kind]
        statement = self._sql("stored", table=table.name, column=column.name, name=table.row_name)
        return str(self._run(statement, id=id_).get or "")

    def records_of(
        self,
        type_: RecordType,
        *,
        session: SafeName | None = None,
        sender: SafeName | None = None,
        trust: Trust | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[str]:
        """The ids of records; a memory's session is the one it ends with."""
        filters: dict[str, Any] = {"session": session, "sender": sender, "trust": trust}
        filters |= {"since": since, "until": until}
        in_session = "(SELECT number FROM sessions WHERE space = t.space AND id = :session)"
        conditions = {
            "session": f"t.session = {in_session if type_ == 'turn' else ':session'}",
            "sender": "t.sender = :sender",
            "trust": "t.trust = :trust",
            "since": f"t.{TIMES[type_]} >= :since",
            "until": f"t.{TIMES[type_]} < :until",
        }
        return self._column(
            f"SELECT t.id FROM {TABLES[type_]} t WHERE t.space = :space"
            f" AND {narrow(conditions, filters)} ORDER BY t.doc",
            **filters,
        )

    def find_derived(self, turns: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Memories that came from any of the turns, each with all turns it came from."""
        by_memory: dict[str, tuple[str, ...]] = {}
        for memory, turn in self._run("derived", ids=list(turns)):
            by_memory[memory] = (*by_memory.get(memory, ()), turn)
        return by_memory

    def stretches(self, turns: Collection[str]) -> list[Stretch]:
        """Episodes that tell of any of the turns."""
        return self.stretches_of(self._column("stretches", ids=list(turns)))

    def stretches_of(self, episodes: Collection[str]) -> list[Stretch]:
        """These episodes, each with the turns it tells of."""
        return [
            Stretch(episode, tuple(self._column("turns_told_by", id=episode.id)))
            for episode in self._unit.episodes.by_id(list(episodes))
        ]

    def docs(self, type_: RecordType, ids: Collection[str]) -> list[int]:
        return self._column(
            f"SELECT doc FROM {TABLES[type_]} WHERE space = :space AND id {_LISTED}", ids=list(ids)
        )

    def only_in(self, terms: Iterable[str], docs: Collection[int]) -> set[str]:
        """Those of the terms that no other document of the space holds."""
        holding = self._unit.index.holding
        return {term for term in terms if all(doc in docs for doc in holding(term))}

    def find_terms(self, terms: Iterable[str]) -> set[str]:
        """Those of the terms that some document of the space holds."""
        holding = self._unit.index.holding
        return {term for term in terms if next(holding(term), None) is not None}

    def still_there(self, texts: Collection[str]) -> set[str]:
        """Those of the texts that some record of the space consists of."""
        present: set[str] = set()
        for table, column in _TEXTS:
            statement = f"SELECT {column} FROM {table} WHERE space = :space AND {column} {_LISTED}"
            present.update(self._column(statement, ids=list(texts)))
        return present

    # --- removing -------------------------------------------------------------------------------

    def remove(self, removal: Removal) -> bool:
        """Take records out with all about them; True if turns that stay have to be reread."""
        self._unit.overwrite()
        # Answers may say anything that was recorded.
        self._run("drop_replies")
        self._unlink(removal.memories)
        turns = list(removal.turns)
        sessions = self._column("sessions_of", ids=turns, sessions=list(removal.sessions))
        followers = self._read_followers_again(self.docs("turn", removal.turns))
        for type_ in RECORD_TYPES:
            ids = removal.of(type_)
            docs = self.docs(type_, ids)
            if docs:
                self._remove_docs(type_, docs)
                self._do("drop_events", ids)
                self._do("drop_jobs", ids)
        self._do("drop_sources_of_turns", removal.turns)
        self._do("leave_episodes", removal.episodes)
        for table, column in (("daily_events", "id"), ("events", "subject")):
            self._do(self._sql("drop_listed", table=table, column=column), removal.daily_events)
        self._shorten_sessions(sessions)
        self._lower_marks()
        self._unit.text_stats.forget()
        return followers

    def count_all(self) -> dict[str, int]:
        """How much there is of each kind that people know."""
        counts = {
            kind: int(self._run(f"SELECT count(*) FROM {table} WHERE space = :space").get)
            for kind, table in _KINDS
        }
        return {kind: count for kind, count in counts.items() if count}

    def remove_all(self, receipt: SafeName, at: datetime) -> None:
        """Take out every row of the space; its number stays, under the id of the receipt."""
        self._unit.overwrite()
        docs = self._column("SELECT doc FROM text_terms WHERE +space = :space ORDER BY doc")
        for start in range(0, len(docs), _PORTION):
            self._unit.index.remove(docs[start : start + _PORTION])
        for table in self._unit.tables_with_space():
            if table == "vector_rewrites":  # counts by space and type in one number
                self._run(f"DELETE FROM {table} WHERE space >> 3 = :space")
            elif table != "spaces":
                self._run(f"DELETE FROM {table} WHERE space = :space")
        self._run("leave_space", receipt=receipt, at=at)
        self._unit.text_stats.forget()

    def _remove_docs(self, type_: RecordType, docs: list[int]) -> None:
        """Numbers are never left in an index: the next record may get the highest again."""
        self._unit.index.remove(docs)
        self.drop_vectors(docs)
        for table in (TABLES[type_], "changed_texts", "turn_tools"):
            self._do(self._sql("drop_docs", table=table), docs)
        self._unit.vectors.count_rewrite(type_)

    def _read_followers_again(self, turns: list[int]) -> bool:
        """Drop the vectors of turns that were read beside these, and let them wait for new ones."""
        followers = self._column("followers_of_turns", docs=turns)
        left = sorted(set(followers) - set(turns))
        if left:
            self.drop_vectors(left)
            self._unit.cleanup.ask_again(left)
        return bool(left)

    def _unlink(self, memories: Collection[str]) -> None:
        """Versions that stay are joined again over those that go; lists lose the ids."""
        if not memories:
            return
        removed: dict[str, str] = dict(self._run("removed_versions", ids=list(memories)))
        self._do("hold_on", memories)
        rows = self._run("followers", ids=list(memories)).fetchall()
        for id_, next_ in rows:
            seen: set[str] = set()
            while next_ in removed and next_ not in seen:
                seen.add(next_)
                next_ = removed[next_]  # noqa: PLW2901 - walks along the chain
            follower = next_ if next_ not in removed else ""
            self._update("memories", id_, {"superseded_by": follower})
        for table in ("memory_sources", "document_choices"):
            self._do(self._sql("drop_listed", table=table, column="memory"), memories)
        for table in ("episodes", "attachments"):
            self._do(self._sql("unlist_memories", table=table), memories)

    def _shorten_sessions(self, numbers: list[int]) -> None:
        """Count what is left; a session of which nothing is left goes, with its jobs and marks."""
        self._do("count_turns_left", numbers)
        empty = dict(self._run("empty_sessions", ids=numbers))
        self._do("drop_sessions", list(empty))
        self._do("drop_transcripts", list(empty))
        names = list(empty.values())
        self._do("drop_echo_lines", names)
        self._do("drop_session_events", names)  # variables of the host, and where its window begins
        keys = [key for name in names for key in (name, f"{name}\nquiet")]
        self._do("drop_jobs", keys)

    def _lower_marks(self) -> None:
        """A mark stands at a record that is left, the next below; without one it goes."""
        for type_, table in TABLES.items():
            for statement in ("drop_marks", "lower_marks_of"):
                first = first_doc(self._space, type_)
                self._run(self._sql(statement, table=table), type=type_, first=first)
        last = max(self._next_doc("turn") - 1, -1)
        last = -1 if last < first_doc(self._space, "turn") else last
        for table, column in _MARKS:
            self._run(self._sql("lower_marks", table=table, column=column), last=last)

    # --- rewriting ------------------------------------------------------------------------------

    def retell(self, stretch: Stretch, terms: SafeText) -> None:
        """Replace what an episode says by the story of these turns of its session."""
        episode, last_turn = stretch.episode, stretch.turns[-1]
        taken = self._run(
            "taken_stretch", **EPISODE.of(episode, ("session", "source", "id")), turn=last_turn
        ).get
        values = EPISODE.of(episode, _RETOLD)
        doc = self._update(
            "episodes", episode.id, {**values, "last_turn": "" if taken else last_turn}
        ).get
        if doc is not None:
            self.drop_vectors([doc])
            self._unit.text.replace({doc: terms})

    def rewrite(self, change: Rewrite) -> None:
        """Put other words in the place of a stored text."""
        table, (column,) = text_columns()[change.kind]
        statement = self._sql("rewrite", table=table.name, column=column.name, name=table.row_name)
        self._run(statement, text=change.text, id=change.id)

    def learn_again(self, turns: Collection[str]) -> list[SafeName]:
        """Let turns wait for extraction once more; says in which sessions they are."""
        rows = self._run("learn_again", ids=list(turns)).fetchall()
        for number, doc in rows:
            self._run("lower_extracted", number=number, before=doc - 1)
        return self._column("learn_again_in", ids={number for number, _ in rows})

    def drop_cached(self, hashes: Collection[bytes]) -> None:
        """Vectors that were kept by the hash of their text."""
        self._conn.executemany(
            self.statements["drop_cached"], [(self._space, hash_) for hash_ in hashes]
        )

    def end_job(self, kind: str, key: str) -> None:
        """Remove a job, whoever holds it, and every byte of what it was about."""
        self._unit.overwrite()
        self._run("end_job", kind=kind, key=key)

    def drop_vectors(self, docs: Collection[int]) -> None:
        """Vectors of texts that have changed or go; their index begins with the embedder."""
        for table in ("vectors", "token_vectors"):
            self._do(self._sql("drop_vectors", table=table), docs)

    # --- parts ----------------------------------------------------------------------------------

    def _do(self, statement: str, ids: Collection[Any]) -> None:
        if ids:
            self._run(statement, ids=list(ids))
