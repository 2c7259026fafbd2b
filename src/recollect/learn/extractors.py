"""Who proposes candidates: a model, or the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Protocol

from recollect.clock import in_zone
from recollect.language.attribution import attributed
from recollect.language.detection import language_of
from recollect.language.extract import EarlierMessage, extract
from recollect.language.extract.people import KnownPeople, Person, relations
from recollect.language.fence import fence
from recollect.language.guard import guard_of
from recollect.language.secrets.finder import redact
from recollect.language.voice import GAP, own_voice
from recollect.learn.pattern_files import own_patterns
from recollect.prompts import filled
from recollect.providers.chat.base import ChatModel
from recollect.rules.importance import KIND_IMPORTANCE
from recollect.rules.lifetimes import DURATIONS
from recollect.rules.speakers import speaker_mark
from recollect.settings import Settings
from recollect.types import Candidate, Memory, Turn

if TYPE_CHECKING:
    from recollect.language.extract.languages import Patterns


from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from recollect.errors import InvalidInput
from recollect.ids import is_id, order_of
from recollect.language.echo import without_echo
from recollect.language.fence import strip_fenced
from recollect.language.guard import Guard
from recollect.language.lines import indented, label, one_line
from recollect.language.tool_results import tool_summary
from recollect.language.voice import split_voice
from recollect.learn.candidates import checked
from recollect.providers.chat.base import Object, Schema, WrongShape
from recollect.rules.speakers import least_trusted
from recollect.store import codec
from recollect.types import KINDS, Json, Kind, ToolCall, Trust

LEARNT: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind != "credential")
_TEXTS = ("subject", "predicate", "value", "project", "topic")
_LONGEST = 2_000  # characters of one statement
_MOST = 100  # statements of one batch


def schema(durations: Sequence[str]) -> Schema:
    """The shape of an answer."""
    fact: dict[str, Json] = {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": list(LEARNT)},
            "content": {"type": "string"},
            **{name: {"type": "string"} for name in _TEXTS},
            "importance": {"type": "number"},
            "confidence": {"type": "number"},
            "duration": {"type": "string", "enum": ["", *durations]},
            "is_update": {"type": "boolean"},
            "withdraws": {"type": "boolean"},
            "turns": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["kind", "content", "turns"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"facts": {"type": "array", "items": fact}},
        "required": ["facts"],
        "additionalProperties": False,
    }


def read_facts(
    answer: Object, turns: Sequence[Turn], durations: Sequence[str], guard: Guard
) -> tuple[Candidate, ...]:
    """The candidates of an answer about these turns, which it names by their numbers from 1."""
    facts = answer.get("facts")
    if not isinstance(facts, list):
        raise WrongShape('"facts" has to be a list')
    if len(facts) > _MOST:
        raise WrongShape(f'"facts" has {len(facts)} entries; give at most {_MOST}')
    return tuple(
        _read(fact, f"facts[{n}]", turns, durations, guard) for n, fact in enumerate(facts)
    )


def _read(
    fact: Json, place: str, turns: Sequence[Turn], durations: Sequence[str], guard: Guard
) -> Candidate:
    if not isinstance(fact, dict):
        raise WrongShape(f"{place} has to be an object")
    kind = next((one for one in LEARNT if one == fact.get("kind")), None)
    if kind is None:
        raise WrongShape(f"{place}.kind has to be one of {', '.join(LEARNT)}")
    content = _text(fact, "content", place)
    if not content:
        raise WrongShape(f"{place}.content is empty")
    duration = _text(fact, "duration", place)
    if duration and duration not in durations:
        raise WrongShape(f"{place}.duration has to be one of {', '.join(durations)}")
    cited = _cited(fact, place, turns)
    candidate = Candidate(
        kind=kind,
        content=content,
        importance=_share(fact, "importance", place),
        confidence=_share(fact, "confidence", place),
        duration=duration,
        is_update=_flag(fact, "is_update", place),
        withdraws=_flag(fact, "withdraws", place),
        trust=least_trusted([_trust(turn) for turn in cited]),
        sources=tuple(dict.fromkeys(turn.id for turn in cited)),
        subject=_text(fact, "subject", place),
        predicate=_text(fact, "predicate", place),
        value=_text(fact, "value", place),
        project=_text(fact, "project", place),
        topic=_text(fact, "topic", place),
    )
    try:
        return checked(candidate, guard)
    except InvalidInput as error:
        raise WrongShape(f"{place}: {error}") from error


def _cited(fact: dict[str, Json], place: str, turns: Sequence[Turn]) -> list[Turn]:
    """The turns a fact stands on; one that stands on none cannot be believed."""
    numbers = fact.get("turns")
    if not isinstance(numbers, list) or not numbers:
        raise WrongShape(f"{place}.turns has to list the numbers of the turns that say it")
    cited: list[Turn] = []
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(turns):
            raise WrongShape(f"{place}.turns: {number!r} is not a number from 1 to {len(turns)}")
        cited.append(turns[number - 1])
    return cited


def _trust(turn: Turn) -> Trust:
    """What an agent says beside a tool's result may be the tool's words."""
    return "tool" if turn.trust == "agent" and turn.tool_results else turn.trust


def _text(fact: dict[str, Json], name: str, place: str) -> str:
    value = fact.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise WrongShape(f"{place}.{name} has to be text")
    text = " ".join(value.split())
    if len(text) > _LONGEST:
        raise WrongShape(f"{place}.{name} is longer than {_LONGEST} characters")
    return text


def _share(fact: dict[str, Json], name: str, place: str) -> float | None:
    value = fact.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise WrongShape(f"{place}.{name} has to be a number from 0 to 1")
    return float(value)


def _flag(fact: dict[str, Json], name: str, place: str) -> bool:
    value = fact.get(name, False)
    if not isinstance(value, bool):
        raise WrongShape(f"{place}.{name} has to be true or false")
    return value


class _ShownBefore(Collection[int]):
    """The marks of what was shown before a turn was recorded: no turn is an echo of a later prompt,
    nor of itself.
    """

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


def heard(turns: Sequence[Turn], marks: Mapping[int, int] | None) -> list[Turn]:
    """The turns without what memory itself said; None: echoes count like anything else.

    ``marks`` are those that prompts left, each with the order of ids at that time.
    """
    if marks is None:
        return list(turns)
    return [
        replace(turn, content=without_echo(turn.content, turn.role, _ShownBefore(marks, turn)))
        for turn in turns
    ]


def shown(turns: Sequence[Turn], tool_chars: int) -> str:
    """One block, each turn with its number from 1."""
    return "\n".join(f"[{n}] {line(turn, tool_chars)}" for n, turn in enumerate(turns, 1))


def line(turn: Turn, tool_chars: int) -> str:
    """A turn in a few lines: who, what, and the tools in short."""
    who = f"{turn.role} ({label(turn.sender)})" if turn.sender else turn.role
    source = "" if turn.trust in ("owner", "agent") else f" <{turn.trust}>"
    content = strip_fenced(turn.content)
    if turn.role == "user":
        content = _with_marks(content)
    text = tool_summary(content, tool_chars) if turn.role == "tool" else content
    parts = [f"{who}{source}: {indented(text, '  ')}".rstrip()]
    parts += [
        f"  called {label(call.name)}: {_arguments(call, tool_chars)}" for call in turn.tool_calls
    ]
    for result in turn.tool_results:
        text = tool_summary(result.content, tool_chars)
        parts.append(f"  {'failed' if result.is_error else 'answered'}: {indented(text, '    ')}")
    return redact("\n".join(parts))


def _arguments(call: ToolCall, most: int) -> str:
    return one_line(tool_summary(codec.dump(dict(call.input)), most))


def _with_marks(content: str) -> str:
    """A user's message in which every line that is not their own voice begins with ">"."""
    parts = []
    for span in split_voice(content):
        text = content[span.start : span.end]
        if not span.own and text.strip():
            quoted = "\n> ".join(text.strip().splitlines())
            text = f"\n> {quoted}\n"
        parts.append(text)
    return "".join(parts)


FACT_CHARS = 100  # the longest statement asked for, as in document D §6.4
TOOL_CHARS = 500  # of each tool result that an extractor sees

PURPOSE = "extract"


class Extractor(Protocol):
    """Reads turns, without what memory itself said in them, and proposes what to remember.

    One that is ``verbatim`` takes what the owner says in their own voice as it stands; what a model
    writes has to be held against what was said.
    """

    @property
    def verbatim(self) -> bool: ...

    def propose(
        self, turns: Sequence[Turn], earlier: Sequence[Turn], people: Sequence[Memory] = ()
    ) -> tuple[Candidate, ...]:
        """Candidates with their sources; ``earlier`` turns only help to understand, as do the
        memories of ``people`` in the user's life.
        """


@dataclass(frozen=True, slots=True)
class RuleExtractor:
    """Patterns over what the user says in their own voice."""

    settings: Settings
    patterns: Patterns | None = None  # those of the package, unless there are others
    verbatim: ClassVar[bool] = True

    @classmethod
    def of(cls, settings: Settings) -> RuleExtractor:
        """With the patterns of the settings; a file that cannot be used is an error here."""
        return cls(settings, own_patterns(settings))

    def propose(
        self, turns: Sequence[Turn], earlier: Sequence[Turn], people: Sequence[Memory] = ()
    ) -> tuple[Candidate, ...]:
        known = KnownPeople(Person(memory.predicate, memory.value) for memory in people)
        texts = [_own_text(turn) for turn in (*earlier, *turns)]
        return tuple(
            attributed(candidate, [turn])
            for place, turn in enumerate(turns, len(earlier))
            if turn.trust == "owner" or _is_a_person(turn)
            for candidate in extract(
                texts[place].text,
                said_at=self._local(turn.at),
                role=turn.role,
                trust=turn.trust,
                earlier=_same_speaker(turn, (*earlier, *turns)[:place], texts),
                people=known if turn.trust == "owner" else None,
                source=turn.id,
                patterns=self.patterns,
            )
        )

    def _local(self, at: datetime) -> datetime:
        """By the clocks of the speaker, as far as they are known: "tomorrow" is theirs."""
        return at if at.utcoffset() else in_zone(at, self.settings.schedule.zone)


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
        one
        for earlier, one in zip(before, texts, strict=False)
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
    verbatim: ClassVar[bool] = False

    def propose(
        self, turns: Sequence[Turn], earlier: Sequence[Turn], people: Sequence[Memory] = ()
    ) -> tuple[Candidate, ...]:
        spoken = [turn for turn in turns if turn.content.strip() or turn.tool_results]
        if not spoken:
            return ()
        settings = self.settings
        language = language_of(
            [turn.content for turn in turns if turn.role == "user"], settings.memory.language
        )
        durations = tuple(DURATIONS)
        before = "\n".join(line(turn, TOOL_CHARS) for turn in earlier)
        answer = self.model.ask(
            "\n\n".join(
                filter(
                    None,
                    (
                        fence(before, "earlier") if before else "",
                        fence(shown(spoken, TOOL_CHARS), "conversation"),
                    ),
                )
            ),
            purpose=PURPOSE,
            schema=schema(durations),
            parse=lambda answer: read_facts(answer, spoken, durations, guard_of(settings)),
            system=filled(
                "extract",
                language,
                fact_chars=FACT_CHARS,
                durations=", ".join(f'"{word}"' for word in durations),
                importance="\n".join(_guidance()),
            ),
        )
        return answer.value


def _own_text(turn: Turn) -> EarlierMessage:
    """A message without what its user pasted, quoted or forwarded: it states nothing of theirs."""
    text = redact(turn.content)
    return EarlierMessage(turn.role, own_voice(text, GAP) if turn.role == "user" else text)


def _guidance() -> list[str]:
    """The importance of each kind; credentials are kept on request only."""
    return [
        f"  - {kind}: {weight:g}"
        for kind, weight in KIND_IMPORTANCE.items()
        if kind != "credential"
    ]
