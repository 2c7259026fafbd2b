"""Echo suppression: what memory put into a prompt is noted, and taken out of what comes back.

Each text is noted with the least trust of the record it came from, so that an agent who says in its
own words what a stranger said does not make it better trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple, TypeVar

from mnemic.errors import StoreError
from mnemic.ids import new_id, order_of
from mnemic.language.echo import UntrustedLine, fingerprints, sentences, taint_of, word_marks
from mnemic.late import dataclass
from mnemic.locks import ForkSafeLock
from mnemic.rules.speakers import least_trusted
from mnemic.rules.support import is_untrusted, rank
from mnemic.settings.environment import TrustSettings
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.store.rows import EchoAbout
from mnemic.types import EMPTY, Candidate, Context, Hit, SafeName, Trust, Turn

_KEEP = timedelta(days=1)  # for which what went into a prompt is recognized: a day of work
_LINES = 2_000  # recognized for one session, the oldest go first

ANYWHERE = EMPTY
NOW = -1
Told = TypeVar("Told", bound=Candidate)
_GATHERED = 2_000  # different texts
_MOST = 5 * _GATHERED  # while nothing can be written
_CHARACTERS = 2_000_000  # of all texts together
_LONGEST = 200_000  # characters of a text that are noted


class Shown(NamedTuple):
    """A text that was given to a host.

    ``record`` is the id of what it came from, which says how far it is trusted; without a text it
    is the record's own, noted only where that is of a tool or an outsider. ``since`` is the order
    of ids at that time: a turn from before is no echo of it. A turn that is shown must not make
    itself unheard, so it is ``NOW`` for these; memories were learned, so they may always be.
    """

    text: str
    record: str = ""
    trust: Trust = "agent"
    since: int = 0


@dataclass(slots=True, eq=False)
class InjectedTexts:
    """What went into prompts since it was last written down. Recall must not wait for a write, so
    it is gathered here and written before anything is learned.
    """

    space: Space
    _lock: ForkSafeLock = field(default_factory=ForkSafeLock)
    _texts: dict[SafeName, dict[tuple[str, str], Shown]] = field(default_factory=dict)
    _count: int = 0
    _characters: int = 0

    def add(self, session: SafeName | None, shown: Iterable[Shown]) -> None:
        """Note texts that were given to a host for this session, or for no one in particular."""
        if self.space.store.read_only:
            return  # what cannot be learned needs no mark
        now = order_of(new_id(self.space.now()))
        with self._lock:
            there = self._texts.setdefault(session or ANYWHERE, {})
            for entry in shown:
                # What is shown again and again is noted once, as of the first time.
                key = (entry.record, entry.text[:_LONGEST])
                noted = there.pop(key, None)
                if noted is None:
                    since = now if entry.since == NOW else entry.since
                    noted = Shown(key[1], entry.record, entry.trust, since)
                    self._count += 1
                    self._characters += len(key[1])
                there[key] = noted  # after those that were shown before it
            full = self._count >= _GATHERED or self._characters >= _CHARACTERS
        if full:
            # Who asked for evidence gets it all the same; the job that needs this flushes again.
            with suppress(StoreError):
                self.flush()

    def add_hits(self, hits: Iterable[Hit]) -> None:
        """Note what recall gave."""
        self.add(None, [Shown(h.text, h.id, since=0 if h.type == "memory" else NOW) for h in hits])

    def add_context(self, session: SafeName | None, context: Context) -> None:
        """Note the text of a context and the records it was made of."""
        records = dict.fromkeys(id_ for section in context.sections for id_ in section.ids)
        offered = [Shown(memory.text, memory.id) for memory in context.pending]
        self.add(session, [Shown(context.text), *(Shown("", id_) for id_ in records), *offered])

    def flush(self) -> None:
        """Write down what was gathered."""
        with self._lock:
            texts, self._texts = self._texts, {}
            self._count = self._characters = 0
        if not texts:
            return
        now = self.space.now()
        try:
            with self.space.write() as unit:
                for session, shown in texts.items():
                    note_injected(unit, session, shown.values(), now, self.space.settings.trust)
        except StoreError:
            self._put_back(texts)
            raise

    def _put_back(self, texts: Mapping[SafeName, Mapping[tuple[str, str], Shown]]) -> None:
        """What could not be written down waits for the next time, as long as it is not too much."""
        with self._lock:
            for session, shown in texts.items():
                if self._count > _MOST or self._characters > _CHARACTERS:
                    return
                self._texts.setdefault(session, {}).update(shown)
                self._count += len(shown)
                self._characters += sum(len(entry.text) for entry in shown.values())


def note_injected(
    unit: Unit,
    session: SafeName,
    texts: Iterable[str | Shown],
    now: datetime,
    settings: TrustSettings,
) -> None:
    """Remember texts that go into a prompt of this session; ``ANYWHERE`` if it is not known.

    With echoes not suppressed only the words of tools and outsiders are, for the sake of trust.
    """
    shown = [Shown(text) if isinstance(text, str) else text for text in texts]
    records = _Records(unit, {entry.record for entry in shown if entry.record})
    lines: dict[int, tuple[int, ...]] = {}
    about: dict[int, EchoAbout] = {}
    room = {True: _LINES, False: _LINES}
    marks_of = cache(fingerprints)  # what one prompt has, the next one mostly has too
    for entry in reversed(shown):  # the latest first: of more than are kept, the oldest go
        text, trust = records.resolve(entry)
        tainted = is_untrusted(trust)
        if not text or not (settings.suppress_echo or tainted) or room[tainted] <= 0:
            continue
        for sentence in sentences(text, _LINES):
            words = tuple(word_marks(sentence)) if tainted else ()
            for line, marks in marks_of(sentence).items():
                room[tainted] -= line not in lines
                lines[line] = marks
                about[line] = _both(about.get(line), EchoAbout(trust, words, entry.since))
    if lines:
        unit.echoes.drop(now - _KEEP)
        unit.echoes.note(session, lines, now, _LINES, about)


def _both(earlier: EchoAbout | None, new: EchoAbout) -> EchoAbout:
    """What is known of a line that was shown twice."""
    if earlier is None:
        return new
    return EchoAbout(
        least_trusted((earlier.trust, new.trust)),
        new.words or earlier.words,
        min(earlier.since, new.since),
    )


class _Records:
    """The records that texts came from, as they are now: their words and their trust."""

    def __init__(self, unit: Unit, ids: set[str]) -> None:
        self._records: dict[str, tuple[str, Trust]] = {}
        if not (wanted := sorted(ids)):
            return
        for memory in unit.memories.by_id(wanted):
            self._records[memory.id] = (memory.text, memory.trust)
        for turn in unit.ledger.turns_by_id(wanted):
            self._records[turn.id] = _of_turn(turn)
        for episode in unit.episodes.by_id(wanted):
            trust = unit.ledger.least_trust(episode.session) or "agent"
            self._records[episode.id] = (episode.summary, trust)
        for attachment in unit.attachments.by_id(wanted):
            about = attachment.description or attachment.transcription or attachment.extracted_text
            self._records[attachment.id] = (about, "external")

    def resolve(self, shown: Shown) -> tuple[str, Trust]:
        if not shown.record or shown.record not in self._records:
            return shown.text, shown.trust
        text, trust = self._records[shown.record]
        if shown.text:
            return shown.text, trust
        return (text, trust) if is_untrusted(trust) else ("", trust)


def _of_turn(turn: Turn) -> tuple[str, Trust]:
    """What an agent says beside a tool's result may be the tool's words."""
    if turn.tool_results and rank(turn.trust) > rank("tool"):
        text = turn.text or "\n".join(result.content for result in turn.tool_results)
        return text, "tool"
    return turn.text, turn.trust


def load_marks(
    unit: Unit, session: SafeName, now: datetime, settings: TrustSettings
) -> dict[int, int] | None:
    """The marks to look for in the turns of a session, each with the order of ids when it was
    shown; None where echoes count like anything.
    """
    if not settings.suppress_echo:
        return None
    return unit.echoes.marks(session, now - _KEEP)


def load_untrusted(unit: Unit, now: datetime, settings: TrustSettings) -> list[UntrustedLine]:
    """What tools and outsiders said in the prompts of late, in whatever session."""
    return [UntrustedLine(*line) for line in unit.echoes.list_untrusted(now - _KEEP)]


def taint(candidate: Told, turns: Sequence[Turn], lines: Sequence[UntrustedLine]) -> Told:
    """The candidate with the trust of what it repeats, if that went into a prompt before.

    ``turns`` are those it may stand on; what the owner says there in so many words is the owner's.
    """
    if is_untrusted(candidate.trust) or not lines:
        return candidate
    cited = frozenset(candidate.sources)
    spoken = "\n".join(turn.text for turn in turns if turn.id in cited and turn.trust == "owner")
    trust = taint_of(f"{candidate.text}\n{candidate.value}", spoken, lines)
    if trust is None:
        return candidate
    return replace(candidate, trust=least_trusted((candidate.trust, trust)))
