"""What a call of a tool begins with, and its answer: text for the model, fenced as data, and the
same as JSON values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from mnemic.context.render import bullet, items_block, notice
from mnemic.days import day_of
from mnemic.engine.mind import Mind
from mnemic.language.fence import fence
from mnemic.language.lines import indent, label, one_line
from mnemic.language.truncation import ELLIPSIS, whole_character
from mnemic.prompts import Language
from mnemic.settings.environment import ToolSettings
from mnemic.tools.texts import text
from mnemic.tools.traces import TraceSource
from mnemic.types import Episode, Hit, Json, Memory

ITEM_CHARS = 1_500  # of one result; what is longer is cut, and get_memory shows it whole
MAX_RESULTS = 100  # of one answer; it says how to go on


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """``text`` is for the model, ``data`` the same as JSON values; an error has no data."""

    text: str
    data: Mapping[str, Json] = field(default_factory=dict)
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """One piece of evidence: its line for the model, and its values."""

    line: str
    data: dict[str, Json]


def line(id_: str, facts: Iterable[str], text: str) -> str:
    """A bullet with id, facts and text."""
    return bullet(", ".join(filter(None, map(label, facts))), text, id_)


def as_data(text: str, source: str, language: Language, at: datetime | None = None) -> str:
    """Fenced text from memory, with the notice that it is evidence."""
    return f"{notice(language)}\n{fence(text, source, at)}"


def story(episode: Episode, day: str) -> str:
    """An episode under a heading of one line."""
    head = f"## {day} {one_line(episode.goal or episode.session)}".rstrip()
    summary = f"  {indent(episode.summary, '  ')}"
    return f"{head}\n{summary}\n({episode.outcome}, {label(episode.session)}, {episode.id})"


def cut(text: str, limit: int) -> str:
    """At most about ``limit`` characters, none of them split."""
    if len(text) <= limit:
        return text
    return text[: whole_character(text, limit)].rstrip() + ELLIPSIS


@dataclass(frozen=True, slots=True)
class ToolContext:
    """A mind, the language to answer in, traces of the host's own, and the running conversation."""

    mind: Mind
    language: Language
    traces: TraceSource | None = None
    session: str | None = None

    @property
    def settings(self) -> ToolSettings:
        return self.mind.settings.tools

    def text(self, key: str, **blanks: object) -> str:
        """A text of texts.toml in the language of the answer."""
        return text(key, self.language, **blanks)

    def show(
        self,
        lines: Sequence[EvidenceLine | None],
        source: str,
        /,
        *,
        nothing: str,
        note: str = "",
        offset: int | None = None,
        more: bool = False,
        **about: Json,
    ) -> ToolAnswer:
        """Fenced lines of evidence, as many as the settings leave room for, at least one, and the
        offset to go on with where there may be more; ``nothing`` is the text where there is no
        line, None is one that no model may see, ``about`` are further values.
        """
        places = _fit(lines, self.settings.answer_chars)
        shown = [entry for entry in lines[:places] if entry is not None]
        left_out = sum(entry is not None for entry in lines[places:])
        rest = self.text("answers.not_fitting", count=left_out) if left_out else ""
        following = None
        if offset is not None and (left_out or more):
            following = offset + places
            rest = f"{rest} {self.text('answers.go_on', offset=following)}".lstrip()
        elif left_out:
            rest = f"{rest} {self.text('answers.narrow')}"
        texts: tuple[str, ...] = (nothing, note)
        if shown:
            texts = (items_block([entry.line for entry in shown], source, note, self.language),)
        results: list[Json] = [entry.data for entry in shown]
        page: dict[str, Json] = {"results": results, "left_out": left_out, "next_offset": following}
        return ToolAnswer("\n".join(filter(None, (*texts, rest))), {**page, **about})

    def latest(self) -> list[str]:
        """What was said last in the running conversation, which makes a short query clearer."""
        if self.session is None:
            return []
        most = self.mind.settings.recall.enrich_turns
        turns = self.mind.turns(session=self.session, newest_first=True, limit=most)
        return [turn.text for turn in reversed(turns) if turn.role in ("user", "assistant")]

    def kind_of(self, record: Memory | Hit) -> str:
        """The word of the preset's document for the kind of a memory."""
        return self.mind.words(record)[self.mind.settings.vocabulary.kinds.name]

    def day_of(self, at: datetime) -> str:
        """The day that a moment falls on."""
        return str(day_of(at, self.mind.settings.schedule.zone))

    def limit_results(self, limit: int | None) -> int:
        """The number of results to give: a limit too high is lowered, with an offset to go on."""
        return min(self.settings.results if limit is None else limit, MAX_RESULTS)


def _fit(lines: Sequence[EvidenceLine | None], max_chars: int) -> int:
    """How many entries fit, the first line always."""
    room = max_chars
    for number, entry in enumerate(lines):
        if entry is None:
            continue
        is_first, room = room == max_chars, room - len(entry.line) - 1
        if room < 0 and not is_first:
            return number
    return len(lines)
