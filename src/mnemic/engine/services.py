"""The services of one space, each made when it is first used, so that opening one costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from mnemic.documents.fallback.files import folder_beside
from mnemic.documents.folders import folders_of
from mnemic.engine import parts
from mnemic.engine.shared import Shared
from mnemic.errors import InvalidInput
from mnemic.language.guard import forget_names
from mnemic.language.lines import forget_labels
from mnemic.learn.echo import InjectedTexts
from mnemic.providers.embedding.choose import embedder_named
from mnemic.record import transcripts
from mnemic.record.ledger import LedgerReader
from mnemic.record.triggers import Watcher
from mnemic.settings.recall import SectionName
from mnemic.types import Receipt, SafeName, Stats

T = TypeVar("T")


class service(Generic[T]):
    """A service made once, whichever thread asks first; from then on it is a plain attribute."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, services: Any, owner: type | None = None) -> T:
        with services.shared.building:
            if self._name not in services.__dict__:
                services.__dict__[self._name] = self._make(services)
        made: T = services.__dict__[self._name]
        return made


def _make(make: Callable[[Services], T]) -> service[T]:
    return service(make)


class Services:
    """What the mind of one space hands its calls to, each with its own subject."""

    def __init__(self, shared: Shared, space: str, wake: Callable[[], None]) -> None:
        """``wake`` tells the worker that there may be work."""
        self.shared = shared
        self.space = space
        self.at = shared.at(space)
        self._settings = shared.settings
        self._wake = wake

    # --- what happened --------------------------------------------------------------------------

    @service
    def recorder(self) -> parts.recorder.Recorder:
        shared, settings = self.shared, self._settings
        follow_ups = parts.recorder.FollowUps(
            transcripts=settings.ledger.jsonl and shared.on_disk,
            quiet_gap=settings.triggers.quiet_gap,
            digest_delay=shared.digest_delay,
            watcher=Watcher(settings.triggers, shared.overflow()),
            disown=parts.disown.Disowner(settings, shared.guard.owners),
        )
        return parts.recorder.Recorder(self.at, follow_ups, self._wake)

    ledger = _make(lambda its: LedgerReader(its.at))
    session_ends = _make(lambda its: parts.session_end.SessionCloser(its.at, its._wake))

    @service
    def compression(self) -> parts.compression.Compression:
        extractor = parts.extractors.RuleExtractor.of(self._settings)
        reconciler = self.shared.reconciler_of(self.space)
        return parts.compression.Compression(self.at, self.recorder, reconciler, extractor)

    attachments = _make(lambda its: parts.attachments.AttachmentWriter(its.at))
    items = _make(lambda its: parts.items.ItemWriter(its.at))
    short_term = _make(
        lambda its: parts.short_term.ShortTermMemory(
            its.at.store, its.space, its.at.settings.short_term, guard=its.at.guard
        )
    )
    scratchpads = _make(lambda its: parts.scratchpads.Scratchpads(its.at))
    sessions = _make(
        lambda its: parts.session_state.SessionState(its.at, its.short_term, its.scratchpads)
    )

    # --- what is known --------------------------------------------------------------------------

    memories = _make(lambda its: its.shared.writer_of(its.space))
    bulk = _make(lambda its: parts.bulk_writer.BulkWriter(its.at, its.memories))
    memory_reader = _make(lambda its: parts.memory_reader.MemoryReader(its.at, its.shared.vault))
    pending = _make(lambda its: its.shared.pending_of(its.space))
    proposals = _make(
        lambda its: parts.pending.Proposals(its.at, its.shared.reconciler_of(its.space))
    )
    rollback = _make(lambda its: parts.rollback.Rollback(its.at))

    @service
    def onboarding(self) -> parts.onboarding.Onboarding:
        shared = self.shared
        return parts.onboarding.Onboarding(
            self.at,
            reconciler=shared.reconciler_of(self.space),
            settled=lambda: shared.write_views(self.space),
        )

    # --- recall and prompts ---------------------------------------------------------------------

    @service
    def vectors(self) -> parts.vectors.VectorRoute | None:
        shared = self.shared
        if shared.embedder is None:
            return None
        engine = shared.vector_engine_of(self.space)
        tables = parts.live_tables.LiveTables(
            engine, shared.store, self.space, shared.vector_memory
        )
        named = partial(embedder_named, settings=shared.settings, circuits=shared.circuits)
        return parts.vectors.VectorRoute(shared.embedder, tables, named)

    touches = _make(lambda its: parts.recall.Touches(its.at))
    injected = _make(lambda its: InjectedTexts(its.at))
    use_log = _make(lambda its: parts.metrics.Uses(its.at))

    @service
    def recall(self) -> parts.recall.Recall:
        return parts.recall.Recall(
            self.at, vectors=self.vectors, touches=self.touches, fault=self.shared.vector_fault
        )

    @service
    def context(self) -> parts.build.Builder:
        sources = parts.sources.PromptSources(
            self.at,
            recall=self.recall,
            short_term=self.short_term,
            scratchpad=self.scratchpads.open_tasks,
            cards=partial(self._read_cards, self.shared.cards_of(self.space)),
            pending=self.pending.fresh,
        )
        return parts.build.Builder(sources, self._settings)

    def _read_cards(
        self, cards: parts.cards.IdentityCards, persona: str | None
    ) -> Mapping[SectionName, str]:
        """The cards of a prompt, after a person's edits of the memory document."""
        if self.documents is not None:
            self.documents.follow_edits()
        return cards.current(persona)

    def end_session(self, session: str) -> None:
        """Mark a conversation as ended and, where the preset says so, begin its window anew."""
        self.session_ends.end(session)
        if self._settings.short_term.clear_at_end:
            self.sessions.clear(session)

    # --- files ----------------------------------------------------------------------------------

    @property
    def transcripts_folder(self) -> Path | None:
        shared = self.shared
        return transcripts.folder_of(shared.history, self.space) if shared.on_disk else None

    @property
    def documents_folder(self) -> Path | None:
        shared = self.shared
        if not shared.on_disk:
            return None
        return folders_of(Path(shared.path), self.space, shared.settings).documents

    @service
    def documents(self) -> parts.library.Documents | None:
        return self.shared.documents_of(self.space) if self.shared.on_disk else None

    def require_documents(self) -> parts.library.Documents:
        if self.documents is None:
            raise InvalidInput(
                "A memory that is not on disk has no documents", remedy="Open it in a file"
            )
        return self.documents

    # --- health and removal ---------------------------------------------------------------------

    @service
    def doctor(self) -> parts.doctor.Doctor:
        return parts.doctor.Doctor(
            self.at,
            forgetting=self.forgetting,
            files=self._files,
            vector_fault=self.shared.vector_fault,
        )

    def _files(self) -> list[Path]:
        """Every file that is written: the database and its log, copies and documents."""
        shared = self.shared
        if not shared.on_disk:
            return []
        database = Path(shared.path)
        paths = [database.with_name(database.name + end) for end in ("", "-wal", "-shm")]
        paths += self._own_files()
        chroma = database.with_name(f"{database.name}.chroma")
        return [*paths, *(path for path in sorted(chroma.rglob("*")) if path.is_file())]

    def _own_files(self) -> list[Path]:
        """Copies and documents of this space."""
        shared, settings = self.shared, self.shared.settings
        if not shared.on_disk:
            return []
        paths = sorted(transcripts.folder_of(shared.history, self.space).glob("*.jsonl"))
        paths += parts.document_erasure.files_of(
            folders_of(Path(shared.path), self.space, settings), settings
        )
        plain = folder_beside(shared.path, self.space, settings.memory)
        return paths + ([plain.notes, *plain.logs().values()] if plain is not None else [])

    def forget_space(self, *, dry_run: bool) -> Receipt:
        def drop_copies() -> None:
            for file in self._own_files():
                file.unlink(missing_ok=True)
            self._drop_rebuildable()

        return parts.erasure.forget_space(self.at, self._gather, drop_copies, dry_run=dry_run)

    @service
    def forgetting(self) -> parts.erasure.Erasure:
        shared = self.shared
        copies = shared.transcript_copies()

        def transcript(space: str, session: SafeName) -> None:
            if shared.on_disk:
                copies.erase(space, session)

        outside = parts.erasure.ExternalCopies(
            gather=self._gather,
            transcript=transcript,
            documents=self._scrub_documents,
            caches=self._drop_rebuildable,
        )
        return parts.erasure.Erasure(self.at, outside)

    @service
    def devices(self) -> parts.devices.Devices:
        shared = self.shared
        database = Path(shared.path) if shared.on_disk else None
        services = parts.steps.DeviceServices(self.at, shared.vault, self.forgetting, database)
        return parts.devices.Devices(services, self._meet)

    def _meet(self) -> None:
        """What follows from the changes of other devices."""
        self._drop_caches()
        self.shared.write_views(self.space)
        self._wake()

    def _scrub_documents(self, space: str, removed: parts.erasure.RemovedRecords) -> None:
        shared, traces = self.shared, removed.traces
        target = parts.document_erasure.ErasureTarget(
            removed.turns, removed.memories, traces.quotes, traces.repeats, traces.replace_name
        )
        if shared.on_disk:
            folders = folders_of(Path(shared.path), space, shared.settings)
            parts.document_erasure.scrub(shared.at(space), folders, target)
        plain = folder_beside(shared.path, space, shared.settings.memory)
        if plain is not None:
            parts.fallback_erasure.scrub(shared.at(space), plain, target)

    def _drop_rebuildable(self) -> None:
        if self.vectors is None:
            self.shared.vector_engine_of(self.space).erase()
        else:
            self.vectors.forget()
        self._drop_caches()

    def _drop_caches(self) -> None:
        self.short_term.clear()
        self.scratchpads.clear()
        self.use_log.forget()
        parts.segment.forget_words()
        parts.batches.forget_chunks()
        forget_names()
        forget_labels()

    def stats(self, worker_failure: str) -> Stats:
        return self.ledger.stats(
            worker_failure=worker_failure,
            recall_failure=self.recall.failure,
            unembedded=self.vectors.waiting() if self.vectors else 0,
            suspended=self.shared.circuits.list_suspended(),
        )

    # --- what is gathered in this process ---------------------------------------------------------

    def _gather(self) -> None:
        for buffer in (self.touches, self.injected, self.use_log):
            buffer.flush()

    def flush(self) -> None:
        """Write down what was gathered; a service that was never used has gathered nothing."""
        for name in ("touches", "injected", "use_log", "pending"):
            if name in self.__dict__:
                getattr(self, name).flush()

    def close(self) -> None:
        """Let go of what reaches beyond this process; the store is its opener's."""
        if self.__dict__.get("vectors") is not None:
            self.__dict__["vectors"].close()
