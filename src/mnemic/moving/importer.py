"""Import of a source into a mind: in batches, past refused records, safe to repeat."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from hashlib import sha256
from itertools import islice
from typing import Any, TypeVar

from mnemic.engine.mind import Mind
from mnemic.errors import Conflict, InvalidInput
from mnemic.moving.pieces import Item, Piece, SentFile, WorkingNotes
from mnemic.moving.reader import FormatReader, reader_of
from mnemic.moving.source import ImportSource
from mnemic.rules.speakers import least_trusted, speaker_mark, speaker_marks, trust_of
from mnemic.settings.logs import log_of
from mnemic.types import NewDailyEvent, NewEpisode, NewMemory, NewRecord, NewTurn, Trust

_BATCH = 4_000
_FEW = 100  # records whose writing compares them with what is known
_TOPIC = 200
IMPORTED_FROM = "imported_from"
Of = TypeVar("Of", bound=Item)


@dataclass(frozen=True, slots=True)
class Refused:
    """One record that was not imported."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Speakers:
    """The speakers of a source, as stated by the person who imports it.

    ``owners`` are the names of the owner in it, which makes every other user an outsider;
    ``sender`` is the name of users that the file leaves unnamed; nothing is trusted better than
    ``most``.
    """

    owners: tuple[str, ...] = ()
    sender: str = ""
    most: Trust = "owner"

    def attribute(self, turn: NewTurn) -> NewTurn:
        """The turn with its sender, and with the trust that this and the file leave it."""
        sender, trust = turn.sender, turn.trust
        if turn.role == "user":
            sender = sender or self.sender
            if self.owners and trust is None:
                is_owner = speaker_mark(sender) in speaker_marks(self.owners)
                trust = "owner" if is_owner else "external"
        if self.most != "owner":
            trust = least_trusted((trust or trust_of(turn.role), self.most))
        if (sender, trust) == (turn.sender, turn.trust):
            return turn
        return replace(turn, sender=sender, trust=trust)


EVERYBODY = Speakers()


@dataclass(slots=True)
class ImportProgress:
    """Counts so far. ``known`` records were here before; ``dropped`` ones say nothing that is kept;
    ``pending`` of those added wait for the person's word; ``kinds`` counts what was read, by kind
    of record; ``first`` and ``last`` are their times.
    """

    format: str = ""
    added: int = 0
    known: int = 0
    dropped: int = 0
    rejected: int = 0
    pending: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    first: datetime | None = None
    last: datetime | None = None


class Reading:
    """The pieces of a source, counted, with the trust that they are given; nothing is written."""

    def __init__(
        self,
        format: str,
        *,
        refused: Callable[[Refused], None],
        project: str = "",
        speakers: Speakers = EVERYBODY,
    ) -> None:
        self.progress, self.project = ImportProgress(format), project
        self._speakers, self._refused = speakers, refused

    def pieces(self, source: ImportSource, reader: FormatReader) -> Iterator[Piece]:
        """What a reader finds in a source, and the links in it that it was not shown."""
        yield from reader.read(source, self.progress.format)
        for name in source.links:
            yield Piece(name, None, "it is a symbolic link, which is not followed")

    def batches(self, pieces: Iterable[Piece]) -> Iterator[list[tuple[Piece, Item]]]:
        """What can be read; the rest is refused."""
        source = iter(pieces)
        while batch := list(islice(source, _BATCH)):
            readable: list[tuple[Piece, Item]] = []
            for entry in batch:
                if entry.item is None:
                    self.refuse(entry, entry.reason)
                else:
                    self._count(entry.item)
                    readable.append((entry, self._set_trust(entry.item)))
            yield readable

    def refuse(self, entry: Piece, reason: str) -> None:
        self.progress.rejected += 1
        self._refused(Refused(entry.place, reason))

    def _count(self, item: Item) -> None:
        counted = self.progress
        counted.kinds[_KINDS[type(item)]] += 1
        times = (getattr(item, name, None) for name in ("at", "learned_at", "started_at"))
        for at in times:
            if isinstance(at, datetime) and at.tzinfo is not None:
                counted.first, counted.last = (
                    min(counted.first or at, at),
                    max(counted.last or at, at),
                )

    def _set_trust(self, item: Item) -> Item:
        """The record as far as its speaker is believed, with the name of where it came from."""
        if isinstance(item, NewTurn):
            return self._speakers.attribute(item)
        if isinstance(item, NewMemory):
            return replace(
                item,
                trust=least_trusted((item.trust, self._speakers.most)),
                project=item.project if item.project is not None else self.project or None,
                metadata={**item.metadata, IMPORTED_FROM: self.progress.format},
                origin="migration",
            )
        return item


@dataclass(frozen=True, slots=True)
class Importer:
    """Writes what was read into a mind; refused records are reported and the rest goes on.

    Repeating it adds nothing: turns have their place in their session, everything else the key of
    its record.
    """

    mind: Mind
    reading: Reading

    @property
    def progress(self) -> ImportProgress:
        return self.reading.progress

    def run(self, pieces: Iterable[Piece]) -> Iterator[ImportProgress]:
        """Import everything; yields the counts after each batch, which is then durable."""
        for batch in self.reading.batches(pieces):
            self._write(batch)
            yield self.progress
        done = self.progress
        log_of(self.mind.settings).done(
            "migration complete: {added} added, {known} known, {rejected} rejected",
            added=done.added,
            known=done.known,
            rejected=done.rejected,
        )

    def _write(self, batch: list[tuple[Piece, Item]]) -> None:
        # First what turns would make anew: a file by its path, the notes of what is going on.
        for entry, item in batch:
            if isinstance(item, SentFile | WorkingNotes):
                self._keep(entry, item)
        turns = [(entry, item) for entry, item in batch if isinstance(item, NewTurn)]
        self._in_halves(turns, self._record)
        records = [(entry, item) for entry, item in batch if isinstance(item, NewRecord)]
        for start in range(0, len(records), _FEW):
            self._in_halves(records[start : start + _FEW], self._add)

    def _in_halves(
        self, batch: list[tuple[Piece, Of]], write: Callable[[list[tuple[Piece, Of]]], None]
    ) -> None:
        """One transaction for all; where that is refused, halves, down to the one to blame."""
        if not batch:
            return
        try:
            write(batch)
        except (InvalidInput, Conflict) as error:
            if len(batch) == 1:
                self.reading.refuse(batch[0][0], error.message)
                return
            middle = len(batch) // 2
            self._in_halves(batch[:middle], write)
            self._in_halves(batch[middle:], write)

    def _record(self, batch: list[tuple[Piece, NewTurn]]) -> None:
        # A title is optional: characters and length that cannot be stored are cut.
        topics = {
            turn.session: entry.topic[:_TOPIC].encode("utf-8", "replace").decode()
            for entry, turn in batch
            if entry.topic
        }
        recorded = self.mind.record_many(
            (turn for _, turn in batch), topics=topics, project=self.reading.project
        )
        self.progress.added += recorded.added
        self.progress.known += recorded.known

    def _add(self, batch: list[tuple[Piece, NewRecord]]) -> None:
        keyed: dict[str, NewRecord] = {}
        for entry, item in batch:
            keyed.setdefault(self._key(entry, item), item)
        added = self.mind.add_many(keyed)
        self.progress.added += added.added
        self.progress.known += added.known + len(batch) - len(keyed)
        self.progress.dropped += added.dropped
        self.progress.pending += added.pending

    def _keep(self, entry: Piece, item: SentFile | WorkingNotes) -> None:
        try:
            if isinstance(item, WorkingNotes):
                fresh = not self.mind.scratchpad().text.strip()
                if fresh:
                    self.mind.write_scratchpad(item.text)
            else:
                session = item.details.get("session")
                there = self.mind.attachments(session=session, limit=10_000)
                fresh = item.path not in {file.path or file.url for file in there}
                if fresh:
                    self.mind.attach(item.path, **item.details)
        except (InvalidInput, Conflict) as error:
            self.reading.refuse(entry, error.message)
        else:
            self.progress.added += fresh
            self.progress.known += not fresh

    def _key(self, entry: Piece, item: NewRecord) -> str:
        key = entry.key
        if not key:
            values = {attr.name: getattr(item, attr.name) for attr in fields(item)}
            key = json.dumps([type(item).__name__, values], default=_plain, sort_keys=True)
        digest = sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return f"import:{self.progress.format}:{digest}"


_KINDS: dict[type, str] = {
    NewTurn: "turn",
    NewMemory: "memory",
    NewEpisode: "episode",
    NewDailyEvent: "daily event",
    SentFile: "attachment",
    WorkingNotes: "scratchpad",
}


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else list(value)


def import_source(
    mind: Mind,
    place: str,
    *,
    format: str = "",
    session: str = "",
    project: str = "",
    speakers: Speakers = EVERYBODY,
) -> tuple[ImportProgress, list[Refused]]:
    """Import a file or folder by its name; what was refused is listed."""
    source, refused = ImportSource.of(place, session=session), list[Refused]()
    reader, format = reader_of(source, format)
    reading = Reading(format, project=project, speakers=speakers, refused=refused.append)
    for _ in Importer(mind, reading).run(reading.pieces(source, reader)):
        pass
    return reading.progress, refused
