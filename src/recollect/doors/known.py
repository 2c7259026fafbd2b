"""Doors to what is known: memories, recall, context, the inbox, documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from recollect.doors.led import Led
from recollect.language.gate import Verdict
from recollect.language.tokens import TokenCounter, count_tokens
from recollect.learn.echo import NOW, Shown
from recollect.learn.memories import GENERAL_TOPIC, GLOBAL_PROJECT
from recollect.learn.scratchpads import Writer
from recollect.recall.request import read_request
from recollect.rules import checks
from recollect.settings.reading import SectionName
from recollect.types import (
    RECORD_TYPES,
    TRUSTS,
    Candidate,
    Context,
    Episode,
    History,
    Hit,
    Kind,
    Memory,
    RecordType,
    RolledBack,
    Scratchpad,
    Settled,
    Trust,
)


class KnownDoors(Led):
    """What is known."""

    def remember(
        self,
        text: str,
        *,
        kind: Kind,
        subject: str = "",
        predicate: str = "",
        value: str = "",
        project: str = GLOBAL_PROJECT,
        topic: str = GENERAL_TOPIC,
        tags: Iterable[str] = (),
        importance: float = 0.5,
        confidence: float = 1.0,
        trust: Trust = "owner",
        valid_from: datetime | str | None = None,
        expires_at: datetime | str | None = None,
        sources: Iterable[str] = (),
        supersedes: str | None = None,
        operation_id: str | None = None,
    ) -> Memory:
        """Keep a statement; with ``supersedes`` as the next version of another."""
        return self._rooms.keeper.remember(
            text,
            kind=kind,
            subject=subject,
            predicate=predicate,
            value=value,
            project=project,
            topic=topic,
            tags=tags,
            importance=importance,
            confidence=confidence,
            trust=trust,
            valid_from=valid_from,
            expires_at=expires_at,
            sources=sources,
            supersedes=supersedes,
            operation_id=operation_id,
        )

    def propose(self, candidate: Candidate, *, operation_id: str | None = None) -> Settled:
        """What a model wants kept; rules, core, changes of the owner's word wait for a person.

        What repeats words of a tool or an outsider out of a prompt is trusted no better than they.
        """
        self._rooms.injected.flush()
        return self._rooms.proposals.propose(candidate, operation_id=operation_id)

    def memories(
        self,
        *,
        kind: Kind | None = None,
        project: str | None = None,
        as_of: datetime | str | None = None,
        limit: int = 100,
    ) -> list[Memory]:
        """Memories that hold now, or were known to hold then, the latest first."""
        return self._rooms.keeper.current(kind=kind, project=project, limit=limit, as_of=as_of)

    def projects(self) -> list[str]:
        """Every project that a current memory belongs to."""
        return list(self._rooms.keeper.projects())

    def pending(self, limit: int | None = None) -> list[Memory]:
        """A few statements to put to the user at the end of a reply; each offer is counted."""
        offered = self._rooms.inbox.offer(limit)
        self._rooms.injected.add(None, [Shown(memory.content, memory.id) for memory in offered])
        return offered

    def note_shown(
        self,
        texts: Iterable[str],
        *,
        record: str = "",
        trust: Trust = "external",
        session: str | None = None,
    ) -> None:
        """Say that texts went into a prompt by another way than ``recall`` and ``context``.

        They are not learnt again, and an agent who repeats them makes them no better trusted than
        ``record``, the turn, memory, episode or file they come from; without one than ``trust``.
        """
        chosen = checks.check_choice(trust, TRUSTS, "trust")
        most = self.settings.ledger.max_characters
        listed = [checks.check_text(text, "text", most) for text in texts]
        self._rooms.injected.add(
            self._guard.filter(session, "session"),
            [Shown(text, record, chosen, NOW) for text in listed],
        )

    def waiting(self, *, limit: int = 100, offset: int = 0) -> list[Memory]:
        """Every statement that waits for the user's word, the latest first."""
        return self._rooms.inbox.waiting(limit=limit, offset=offset)

    def confirm(self, id: str, *, operation_id: str | None = None) -> Settled:
        """The user says that a pending statement is true."""
        return self._rooms.inbox.confirm(id, operation_id=operation_id)

    def ignore(self, id: str, *, operation_id: str | None = None) -> Memory:
        """The user does not want it kept; it is not offered again, in other words either."""
        return self._rooms.inbox.ignore(id, operation_id=operation_id)

    def later(self, id: str, *, operation_id: str | None = None) -> Memory:
        """The user will answer another time."""
        return self._rooms.inbox.later(id, operation_id=operation_id)

    def rollback(
        self, source: str, *, dry_run: bool = False, operation_id: str | None = None
    ) -> RolledBack:
        """Undo all that came from one source: session:ID, turn:ID, trust:TIER or sender:NAME."""
        return self._rooms.rollback.rollback(source, dry_run=dry_run, operation_id=operation_id)

    def episodes(
        self,
        *,
        session: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int = 100,
    ) -> list[Episode]:
        """The stories of sessions, the latest first."""
        return self._rooms.book.episodes(session=session, since=since, until=until, limit=limit)

    def scratchpad(self) -> Scratchpad:
        """What the agent is working on."""
        return self._rooms.pads.get()

    def write_scratchpad(self, markdown: str, *, by: Writer = "user") -> Scratchpad:
        """The user's or the agent's own text in place of it."""
        return self._rooms.pads.put(markdown, by)

    def reveal(self, id: str) -> str:
        """The secret of a credential, which nothing else shows."""
        return self._rooms.keeper.reveal(id)

    def history(self, id: str) -> History:
        """Every version of a memory and what happened to it."""
        return self._rooms.keeper.history(id)

    def recall(
        self,
        query: str,
        *,
        k: int | None = None,
        of: Iterable[RecordType] | RecordType = RECORD_TYPES,
        session: str | None = None,
        project: str | None = None,
        topic: str | None = None,
        kind: Kind | None = None,
        speaker: str | None = None,
        trust: Trust | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        as_of: datetime | str | None = None,
        persona: str | None = None,
        around: Sequence[str] = (),
    ) -> list[Hit]:
        """The best evidence for a query, with reasons.

        ``around`` is what was said just before it, which helps a query that says little by itself.
        """
        request = read_request(
            query,
            k=self.settings.recall.limit if k is None else k,
            of=of,
            session=session,
            project=project,
            topic=topic,
            kind=kind,
            speaker=speaker,
            trust=trust,
            since=since,
            until=until,
            as_of=as_of,
            persona=persona,
            around=around,
            now=self._clock.now(),
            guard=self._guard,
        )
        hits = self._rooms.recall.recall(request)
        self._rooms.injected.add(
            None,
            [Shown(hit.text, hit.id, since=0 if hit.type == "memory" else NOW) for hit in hits],
        )
        self._rooms.uses.recalled(len(hits))
        return hits

    def context(
        self,
        query: str,
        *,
        session: str | None = None,
        budget: int | None = None,
        model: str = "",
        persona: str | None = None,
        host: Mapping[SectionName, str] | None = None,
        count: TokenCounter = count_tokens,
    ) -> Context:
        """What the agent should see before it answers, within ``budget`` tokens.

        ``host`` are parts only the host knows (system, runtime, rules, catalogs); ``count`` is its
        tokenizer, ``model`` the one whose window counts where the preset goes by that.
        """
        named = self._guard.filter(session, "session")
        built = self._rooms.context.build(
            query,
            session=named,
            budget=budget,
            model=model,
            persona=persona,
            host=host,
            count=count,
        )
        records = (id_ for section in built.sections for id_ in section.ids)
        self._rooms.injected.add(
            named, [Shown(built.text), *(Shown("", id_) for id_ in dict.fromkeys(records))]
        )
        self._rooms.uses.composed(named, query, built)
        return built

    def gate(self, message: str) -> Verdict:
        """Whether a message wants memory, by rule and at once."""
        return self._rooms.recall.gate(message)
