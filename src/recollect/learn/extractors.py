"""Who proposes candidates: a model, or the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from recollect.language.attribution import attributed
from recollect.language.detection import language_of
from recollect.language.extract import Said, extract
from recollect.language.fence import fence
from recollect.language.guard import guard_of
from recollect.language.secrets.finder import redact
from recollect.language.voice import GAP, own_voice
from recollect.learn.answers import read_facts, schema
from recollect.learn.pattern_files import own_patterns
from recollect.learn.transcript import line, shown
from recollect.prompts import filled
from recollect.providers.chat.base import ChatModel
from recollect.rules.importance import KIND_IMPORTANCE
from recollect.rules.lifetimes import DURATIONS
from recollect.rules.speakers import speaker_mark
from recollect.settings import Settings
from recollect.types import Candidate, Turn

if TYPE_CHECKING:
    from recollect.language.extract.languages import Patterns

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

    def propose(self, turns: Sequence[Turn], earlier: Sequence[Turn]) -> tuple[Candidate, ...]:
        """Candidates with their sources; ``earlier`` turns only help to understand."""


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

    def propose(self, turns: Sequence[Turn], earlier: Sequence[Turn]) -> tuple[Candidate, ...]:
        texts = [_own_text(turn) for turn in (*earlier, *turns)]
        return tuple(
            attributed(candidate, [turn])
            for place, turn in enumerate(turns, len(earlier))
            if turn.trust == "owner" or _is_a_person(turn)
            for candidate in extract(
                texts[place].text,
                said_at=turn.at,
                role=turn.role,
                trust=turn.trust,
                earlier=_same_speaker(turn, (*earlier, *turns)[:place], texts),
                source=turn.id,
                patterns=self.patterns,
            )
        )


def _is_a_person(turn: Turn) -> bool:
    """Somebody else than the owner who speaks by name; what they say is kept as theirs."""
    return turn.role == "user" and turn.trust == "external" and bool(turn.sender)


def _same_speaker(turn: Turn, before: Sequence[Turn], texts: Sequence[Said]) -> list[Said]:
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

    def propose(self, turns: Sequence[Turn], earlier: Sequence[Turn]) -> tuple[Candidate, ...]:
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


def _own_text(turn: Turn) -> Said:
    """A message without what its user pasted, quoted or forwarded: it states nothing of theirs."""
    text = redact(turn.content)
    return Said(turn.role, own_voice(text, GAP) if turn.role == "user" else text)


def _guidance() -> list[str]:
    """The importance of each kind; credentials are kept on request only."""
    return [
        f"  - {kind}: {weight:g}"
        for kind, weight in KIND_IMPORTANCE.items()
        if kind != "credential"
    ]
