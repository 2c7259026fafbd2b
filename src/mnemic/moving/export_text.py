"""What a page and a markdown file say alike: titles, details, quotations and anchors, as plain text
whose secrets are masked. Each format escapes it in its own way.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, TypedDict

from mnemic.days import LOCAL
from mnemic.engine.mind import Mind
from mnemic.language.detection import LanguageChoice, language_of
from mnemic.moving.contents import (
    MemoryContents,
    Progress,
    RecordedSession,
    Statement,
    read_contents,
)
from mnemic.moving.phrases import Phrases
from mnemic.plain import visible
from mnemic.prompts import Language
from mnemic.types import GENERAL_TOPIC, GLOBAL_PROJECT, Attachment, Memory, Turn

_QUOTED = 400  # characters of a source
_TITLE = 90  # characters of a conversation's title
_LONGEST = 20_000  # characters of one message
_RESULT = 2_000  # characters of a tool's input or result
_OWNER = "user"
_SAMPLE = 200  # turns that show the language of a memory


@dataclass(frozen=True, slots=True)
class ExportText:
    """The texts of one export in one language."""

    contents: MemoryContents
    say: Phrases
    name: str = ""
    anchors: Mapping[str, str] = field(default_factory=dict)
    learnt: Mapping[str, Sequence[Memory]] = field(default_factory=dict)

    # --- texts ------------------------------------------------------------------------------------

    def text(self, text: str) -> str:
        """A stored text with its lines."""
        return visible(self.contents.mask.text(text).replace("\r\n", "\n"), kept="\n\t")

    def line(self, text: str, most: int = _TITLE) -> str:
        """A stored text on one line."""
        whole = " ".join(self.text(text).split())
        return whole if len(whole) <= most else f"{whole[: most - 1].rstrip()}…"

    def cut(self, text: str, most: int = _LONGEST) -> str:
        """A stored text of at most so many characters; says how many are left out."""
        whole = self.text(text)
        if len(whole) <= most:
            return whole
        more = self.say("… {count} more characters", count=self.say.number(len(whole) - most))
        return f"{whole[:most]} {more}"

    def arguments(self, value: Mapping[str, Any]) -> str:
        """The arguments of a tool call as JSON."""
        shown = json.dumps(self.contents.mask.json(value), ensure_ascii=False, default=str)
        return self.cut(shown, _RESULT)

    def result(self, text: str) -> str:
        return self.cut(text, _RESULT)

    def quote(self, turn: Turn, memory: Memory) -> str:
        """What a turn says, or of a long one the part around the statement."""
        said = turn.content or "\n".join(result.content for result in turn.tool_results)
        whole = self.text(said)
        if len(whole) <= _QUOTED:
            return whole
        places = (whole.find(part) for part in (memory.content, memory.value) if part)
        place = next((found for found in places if found >= 0), 0)
        start = max(0, min(place - _QUOTED // 4, len(whole) - _QUOTED))
        part = whole[start : start + _QUOTED].strip()
        return f"{'…' if start else ''}{part}{'…' if start + _QUOTED < len(whole) else ''}"

    # --- the whole --------------------------------------------------------------------------------

    def title(self) -> str:
        name = self.name or ("" if self.contents.space == "default" else self.contents.space)
        return self.say("Memory of {name}", name=self.line(name)) if name else self.say("Memory")

    def span(self) -> str:
        """From when to when it tells."""
        stats = self.contents.stats
        if stats.first_at is None or stats.last_at is None:
            return self.say("Nothing has been recorded yet.")
        first, last = (self.day(moment) for moment in (stats.first_at, stats.last_at))
        return self.say("From {first} to {last}.", first=first, last=last)

    def figures(self) -> list[tuple[int, str]]:
        """The counts of the header."""
        whole = self.contents
        counts = (
            (len(whole.known), "statement"),
            (sum(len(day.sessions) for day in whole.days), "conversation"),
            (whole.stats.turns, "turn"),
            (len(whole.attachments), "file"),
            (len(whole.pending) + len(whole.questions), "question"),
        )
        return [
            (count, thing) for count, thing in counts if count or thing in ("statement", "turn")
        ]

    def notes(self) -> list[str]:
        """What to know of this copy."""
        say = self.say
        at = self.contents.local(self.contents.at)
        zone = f"UTC{at:%z}" if self.contents.zone == LOCAL else str(self.contents.zone)
        masked = self.contents.mask.bounds is not None
        secret = "Secrets are masked." if masked else "This copy shows secrets: keep it safe."
        exported = say(
            "Exported {at}. Times are those of the zone {zone}.", at=say.moment(at), zone=zone
        )
        return [exported, say(secret)]

    def waiting(self) -> list[str]:
        """Work that is not done, in words."""
        states = self.contents.stats.turn_states
        unread = sum(states.get(state, 0) for state in ("new", "failed", "dead"))
        unread = 0 if self.contents.off else unread
        return [
            self.say("{turns} not read yet", turns=self.say.count(unread, "turn"))
        ] if unread else []  # fmt: skip

    def pad(self) -> list[tuple[str, list[str]]]:
        """The scratchpad's parts that say something."""
        pad = self.contents.pad
        parts = (
            ("Current task", (pad.focus,)),
            ("Questions", pad.questions),
            ("Next steps", pad.next_steps),
        )
        listed = ((self.say(title), list(filter(None, lines))) for title, lines in parts)
        return [(title, [self.line(one, 400) for one in lines]) for title, lines in listed if lines]

    # --- statements -------------------------------------------------------------------------------

    def kinds(self) -> Iterator[tuple[str, list[tuple[str, list[Statement]]]]]:
        """What is known, by kind and within it by subject; the contents are in that order."""
        for kind, statements in groupby(self.contents.known, lambda one: one.memory.kind):
            by_subject = [
                (subject, list(group))
                for subject, group in groupby(statements, lambda one: one.memory.subject.casefold())
            ]
            yield (
                self.line(self.say.kind(kind)),
                [(self.subject(group[0].memory), group) for _, group in by_subject],
            )

    def subject(self, memory: Memory) -> str:
        if not memory.subject:
            return self.say("Anything else")
        return self.say("You") if memory.subject == _OWNER else self.line(memory.subject)

    def statement(self, memory: Memory) -> str:
        return self.cut(memory.content)

    def secret(self, memory: Memory) -> str:
        """The secret of a credential, where it was asked for."""
        secret = self.contents.secrets.get(memory.id, "")
        return self.say("the secret: {secret}", secret=visible(secret)) if secret else ""

    def since(self, memory: Memory) -> str:
        """Since when it is true, and until when."""
        since, until = self.day(memory.valid_from), memory.valid_to
        if until is None:
            return self.say("since {day}", day=since)
        return self.say("from {first} to {last}", first=since, last=self.day(until))

    def details(self, memory: Memory) -> list[str]:
        """How sure it is, who says it, and what it belongs to."""
        say = self.say
        learnt, since = self.day(memory.created_at), self.day(memory.valid_from)
        found = (
            say("sure: {share}", share=say.share(memory.confidence)),
            say.count(memory.confirmations, "again") if memory.confirmations else "",
            say("learnt {day}", day=learnt) if learnt != since else "",
            say("expires {day}", day=self.day(memory.expires_at)) if memory.expires_at else "",
            say.trust(memory),
            *self.partition(memory.project, memory.topic),
            *(f"#{self.line(tag)}" for tag in memory.tags),
        )
        return [one for one in found if one]

    def partition(self, project: str, topic: str) -> Iterator[str]:
        if project not in ("", GLOBAL_PROJECT):
            yield self.say("project {name}", name=self.line(project))
        if topic not in ("", GENERAL_TOPIC):
            yield self.say("topic {name}", name=self.line(topic))

    def held(self, memory: Memory) -> str:
        """The days on which an earlier version held."""
        ends = (memory.valid_to, memory.superseded_at, memory.expires_at)
        began, ended = memory.valid_from, min(filter(None, ends), default=memory.updated_at)
        if ended <= began:  # it was corrected: it never held, but was believed for a while
            began, ended = memory.created_at, memory.superseded_at or memory.updated_at
        return self.say("from {first} to {last}", first=self.day(began), last=self.day(ended))

    def ended(self, memory: Memory) -> str:
        """Why it does not hold any more."""
        if memory.status == "superseded":
            return self.say("replaced")
        now = self.contents.at
        over = [at for at in (memory.expires_at, memory.valid_to) if at is not None and at <= now]
        return self.say("expired" if over else "withdrawn or put away")

    # --- conversations ----------------------------------------------------------------------------

    def session_title(self, session: RecordedSession) -> str:
        """What it was about: its topic, its goal, its first words, or its id."""
        goals = (episode.goal or episode.summary for episode in session.episodes)
        words = (turn.content for turn in session.turns if turn.role == "user")
        titles = (session.info.topic, *goals, *words, session.info.id)
        return self.line(next(title for title in titles if title.strip()))

    def speaker(self, turn: Turn) -> str:
        return self.line(self.say.speaker(turn))

    def file_details(self, file: Attachment) -> list[str]:
        found = (
            self.say.direction(file),
            self.say.moment(self.contents.local(file.created_at)),
            self.line(file.mime),
            self.say.size(file.size) if file.size else "",
            self.line(file.path or file.url, 400),
        )
        return [one for one in found if one]

    # --- dates ------------------------------------------------------------------------------------

    def day(self, moment: datetime) -> str:
        return self.say.day(self.contents.local(moment).date())

    def moment(self, moment: datetime) -> str:
        return self.say.moment(self.contents.local(moment))

    def hour(self, moment: datetime) -> str:
        return self.say.hour(self.contents.local(moment))


class ExportOptions(TypedDict, total=False):
    """How to write a memory for people.

    ``language`` is that of headings, dates and numbers: by default the setting `memory.language`,
    where "auto" is the language that the memory is mostly in. ``name`` is whose memory it is, for
    the title. Whatever looks like a secret is masked unless ``secrets``; then those of credentials
    are shown, too. ``at`` is the time of the export, ``progress`` is told the turns that were read.
    """

    language: LanguageChoice | None
    name: str
    secrets: bool
    at: datetime | None
    progress: Progress | None


def export_text(mind: Mind, options: ExportOptions) -> ExportText:
    """The texts of a memory, with a place for every statement and every turn that is cited."""
    contents = read_contents(
        mind,
        at=options.get("at") or datetime.now(UTC),
        secrets=options.get("secrets", False),
        progress=options.get("progress"),
    )
    language = _language(contents, options.get("language") or mind.settings.memory.language)
    shown = (*contents.known, *contents.past, *contents.pending)
    learnt: dict[str, list[Memory]] = defaultdict(list)
    for statement in shown:
        for turn in statement.turns:
            learnt[turn.id].append(statement.memory)
    anchors: dict[str, str] = {one.memory.id: f"m{number}" for number, one in enumerate(shown, 1)}
    cited = [turn.id for turn in contents.turns if turn.id in learnt]
    anchors |= {id_: f"t{number}" for number, id_ in enumerate(cited, 1)}
    return ExportText(contents, Phrases(language), options.get("name", ""), anchors, dict(learnt))


def _language(contents: MemoryContents, choice: LanguageChoice) -> Language:
    known = (one.memory.content for one in contents.known)
    said = (turn.content for turn, _ in zip(contents.turns, range(_SAMPLE), strict=False))
    return language_of([*known, *said], choice)
