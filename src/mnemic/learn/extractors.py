"""Who proposes candidates: a model, or the rules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, ClassVar, Protocol

from mnemic.clock import Clock
from mnemic.days import home_zone, in_zone, local_time
from mnemic.errors import BadAnswer, ModelRefused
from mnemic.ids import is_id, order_of
from mnemic.language.attribution import attribute
from mnemic.language.detection import language_of
from mnemic.language.echo import without_echo
from mnemic.language.extract import EarlierMessage, Worth, extract
from mnemic.language.extract.dates import is_plan
from mnemic.language.extract.languages import load_patterns
from mnemic.language.extract.people import KnownPeople, Person, relations
from mnemic.language.extract.sentences import LONGEST, Places
from mnemic.language.fence import fence
from mnemic.language.guard import guard_of
from mnemic.language.secrets.finder import redact
from mnemic.language.story import SUMMARY_CHARS
from mnemic.language.truncation import two_ends
from mnemic.language.voice import GAP, VoiceJudge, own_voice
from mnemic.learn.facts import ExtractionResult, FactReader, schema
from mnemic.learn.pattern_files import own_patterns
from mnemic.learn.turn_lines import in_local_time, number_turns, today, turn_line
from mnemic.prompts import fill_prompt
from mnemic.providers.chat.base import ChatModel
from mnemic.providers.reader.inputs import TurnText
from mnemic.providers.reader.notes import NotedMessage
from mnemic.rules.importance import KIND_IMPORTANCE
from mnemic.rules.lifetimes import DURATIONS
from mnemic.rules.reconcile import STEERING
from mnemic.rules.speakers import least_trusted, speaker_mark
from mnemic.settings import Settings
from mnemic.types import Candidate, Memory, Turn

if TYPE_CHECKING:
    from mnemic.language.extract.languages import Patterns

PURPOSE = "extract"
_PASSING = 0.4  # of what is asked of other sentences
NoteTaker = Callable[[Sequence[TurnText]], Sequence[NotedMessage]]


class _ShownBefore(Collection[int]):
    """The marks shown before a turn was recorded: no turn echoes a later prompt, nor itself."""

    def __init__(self, marks: Mapping[int, int], turn: Turn) -> None:
        self._marks = marks
        self._order = order_of(turn.id) if is_id(turn.id) else None

    def __contains__(self, mark: object) -> bool:
        shown = self._marks.get(mark)  # type: ignore[call-overload]
        return shown is not None and (self._order is None or shown <= self._order)

    def __iter__(self) -> Iterator[int]:
        return (mark for mark in self._marks if mark in self)

    def __len__(self) -> int:
        return len(self._marks)


def drop_echoes(turns: Sequence[Turn], marks: Mapping[int, int] | None) -> list[Turn]:
    """The turns without what memory itself said; None: echoes count like anything else.

    ``marks`` are those that prompts left, each with the order of ids at that time.
    """
    if marks is None:
        return list(turns)
    return [
        replace(turn, text=without_echo(turn.text, turn.role, _ShownBefore(marks, turn)))
        for turn in turns
    ]


class Extractor(Protocol):
    """Reads turns, without what memory itself said in them, and proposes what to remember.

    One that is ``verbatim`` takes what the owner says in their own voice as it stands; what a model
    writes has to be held against what was said.
    """

    @property
    def verbatim(self) -> bool: ...

    def propose(
        self, turns: Sequence[Turn], earlier: Sequence[Turn], people: Sequence[Memory] = ()
    ) -> ExtractionResult:
        """Candidates with their sources; ``earlier`` turns only help to understand, as do the
        memories of ``people`` in the user's life.
        """


@dataclass(frozen=True, slots=True)
class RuleExtractor:
    """Patterns over what the user says in their own voice."""

    settings: Settings
    patterns: Patterns | None = None  # those of the package, unless there are others
    note: NoteTaker | None = None  # for what no pattern reads
    voices: VoiceJudge | None = None  # for what may be presented
    verbatim: ClassVar[bool] = True

    @classmethod
    def of(
        cls, settings: Settings, note: NoteTaker | None = None, voices: VoiceJudge | None = None
    ) -> RuleExtractor:
        """With the patterns of the settings; a file that cannot be used is an error here."""
        return cls(settings, own_patterns(settings), note, voices)

    def compile_all(self) -> Iterator[None]:
        """Step by step, what is else compiled at its first use."""
        for language in (self.patterns or load_patterns()).languages:
            for entry in language.all_entries():
                entry.compile_all()
                yield

    def propose(
        self, turns: Sequence[Turn], earlier: Sequence[Turn], people: Sequence[Memory] = ()
    ) -> ExtractionResult:
        named = (Person(memory.predicate, memory.value) for memory in people)
        known_people = KnownPeople(named, remembered=True)
        texts = [self._own_text(turn) for turn in (*earlier, *turns)]
        candidates: list[Candidate] = []
        spoken = (*earlier, *turns)
        for place, turn in enumerate(turns, len(earlier)):
            if turn.trust != "owner" and not _is_a_person(turn):
                continue
            before = spoken[place - 1] if place else None
            read = partial(
                extract,
                said_at=local_time(turn.at, self.settings.schedule.zone),
                role=turn.role,
                trust=turn.trust,
                earlier=_same_speaker(turn, spoken[:place], texts),
                people=known_people if turn.trust == "owner" else None,
                source=turn.id,
                patterns=self.patterns,
                worth=self._worth(turn, texts[place].text, before),
            )
            proposed = self._without_doubt(turn, read(texts[place].text), read)
            candidates += [attribute(new, [turn]) for new in proposed]
        return ExtractionResult(tuple(candidates))

    def _without_doubt(
        self,
        turn: Turn,
        candidates: Sequence[Candidate],
        read: Callable[[str], Sequence[Candidate]],
    ) -> Iterator[Candidate]:
        """What steers the agent is the owner's only where it is certain that they say it: in a
        message that may present a text it waits as an outsider's.
        """
        certain = candidates
        if any(candidate.kind in STEERING for candidate in candidates):
            text = self._own_text(turn, certain=True).text
            certain = read(text) if text != self._own_text(turn).text else candidates
        sure = {(candidate.subject, candidate.predicate, candidate.value) for candidate in certain}
        for candidate in candidates:
            doubtful = (candidate.subject, candidate.predicate, candidate.value) not in sure
            if doubtful and candidate.kind in STEERING:
                yield replace(candidate, trust=least_trusted([candidate.trust, "external"]))
            else:
                yield candidate

    def _own_text(self, turn: Turn, *, certain: bool = False) -> EarlierMessage:
        """A message without what its user pasted, quoted or forwarded: it states nothing of
        theirs.
        """
        # The patterns read less of either end; what they read has no secret cut in two.
        text = redact(f"\n{GAP}\n".join(two_ends(turn.text, 4 * LONGEST)))
        if turn.role == "user":
            text = own_voice(text, GAP, certain=certain, judge=self.voices)
        return EarlierMessage(turn.role, text)

    def _worth(self, turn: Turn, text: str, before: Turn | None) -> Worth | None:
        """Judges stretches of a message by the reader, which reads it when it is first asked."""
        if self.note is None or turn.trust != "owner":
            return None
        spoken = f"{before.role}: {before.text}" if before else ""
        said_at = local_time(turn.at, self.settings.schedule.zone)
        message = TurnText(text, turn.sender or turn.role, said_at.date(), spoken)
        note = cache(partial(self.note, [message]))
        keep, places = self.settings.extraction.keep, Places(text)

        def is_worth(stretch: str, share: float = 1) -> bool:
            place = places.find(stretch)
            try:
                likely = note()[0].keep(*place) if place else None
            except ModelRefused:  # a damaged file, of which the embedding tells
                likely = None
            if likely is None:
                return share < 1
            # What is over after its day costs little where it was not worth keeping.
            passing = share == 1 > keep and is_plan(stretch, said_at)
            return likely >= keep * (_PASSING if passing else share)

        return is_worth


def is_person(memory: Memory) -> bool:
    """Whether a statement names somebody in the user's life: user/sister = Ines."""
    return memory.predicate in relations() and not memory.value[:1].islower()


def _is_a_person(turn: Turn) -> bool:
    """Somebody else than the owner who speaks by name; what they say is kept as theirs."""
    return turn.role == "user" and turn.trust == "external" and bool(turn.sender)


def _same_speaker(
    turn: Turn, before: Sequence[Turn], texts: Sequence[EarlierMessage]
) -> list[EarlierMessage]:
    """What was said before, without other users: "upgraded to 3.12" is not about theirs."""
    speaker = speaker_mark(turn.sender)
    return [
        message
        for earlier, message in zip(before, texts, strict=False)
        if earlier.role != "user"
        or (
            earlier.trust == turn.trust
            and (turn.trust == "owner" or speaker_mark(earlier.sender) == speaker)
        )
    ]


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """A language model."""

    model: ChatModel
    settings: Settings
    clock: Clock
    verbatim: ClassVar[bool] = False

    def propose(
        self, turns: Sequence[Turn], earlier: Sequence[Turn], people: Sequence[Memory] = ()
    ) -> ExtractionResult:
        settings = self.settings
        zone = home_zone(turns[-1].at if turns else None, settings.schedule.zone)
        spoken = in_local_time(
            [turn for turn in turns if turn.text.strip() or turn.tool_results], zone
        )
        if not spoken:
            return ExtractionResult()
        language = language_of(
            [turn.text for turn in turns if turn.role == "user"], settings.memory.language
        )
        local = in_local_time(earlier, zone)
        before = "\n".join(turn_line(turn, language) for turn in local)
        parts = (
            today(in_zone(self.clock.now(), zone), language),
            fence(before, "earlier") if before else "",
            fence(number_turns(spoken, language), "conversation"),
        )
        reader = FactReader(spoken, guard_of(settings))
        wants_summary = settings.triggers.quiet_gap is not None  # it is the daily event
        system = fill_prompt(
            "extract",
            language,
            fact_chars=settings.extraction.fact_chars,
            durations=", ".join(f'"{word}"' for word in DURATIONS),
            importance=", ".join(
                f"{kind} {weight:g}"
                for kind, weight in KIND_IMPORTANCE.items()
                if kind != "credential"  # kept on request only
            ),
        )
        if wants_summary:
            system += "\n" + fill_prompt("batch_summary", language, summary_chars=SUMMARY_CHARS)
        try:
            answer = self.model.ask(
                "\n\n".join(filter(None, parts)),
                purpose=PURPOSE,
                schema=schema(summary=wants_summary),
                parse=reader.parse,
                parse_partial=reader.parse_partial,
                system=system,
            )
        except (BadAnswer, ModelRefused):
            if reader.proposals == ExtractionResult():
                raise  # nothing of it could be read
            return reader.proposals
        return answer.value
