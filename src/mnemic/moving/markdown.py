"""A memory as markdown to read: one file, or a folder with the timeline in a file a month.

Stored text is escaped so that it stays text wherever it stands: no heading, list, link, table,
code or HTML comes out of it. Secrets are masked. The page (``page.py``) is made from the same text.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import groupby, islice
from typing import Any, TypedDict, Unpack

from mnemic.days import LOCAL
from mnemic.engine.mind import Mind
from mnemic.language.detection import LanguageChoice, language_of
from mnemic.language.secrets.finder import redact, redact_json
from mnemic.moving.contents import MemoryContents, Progress, RecordedDay, RecordedSession, Statement
from mnemic.moving.phrases import Phrases
from mnemic.plain import visible
from mnemic.types import GENERAL_TOPIC, GLOBAL_PROJECT, Attachment, Memory, Turn

INDEX = "README.md"
_MONTHS = 24  # rows of the table of growth
_HELD = ("active", "superseded", "archived")
_QUOTED = 400  # characters of a source
_TITLE = 90  # characters of a conversation's title
_LONGEST = 20_000  # characters of one message
_RESULT = 2_000  # characters of a tool's input or result
_OWNER = "user"
_SAMPLE = 200  # turns that show the language of a memory
_SPECIAL = re.compile(
    r"[\\`*{}\[\]<>()#|~&$^]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # within a word it is a letter
    r"|!(?=\[)|(?<=\w)@(?=\w)|:(?=//)|(?i:(?<=www)\.)"  # what some readers make a link of
)
# What begins a block at the beginning of a line; the other signs are escaped everywhere.
_BLOCK = re.compile(r"^(?:[-+=](?=\s|[-+=]|$)|\d{1,9}(?=[.)]))")


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


def export_markdown(mind: Mind, **options: Unpack[ExportOptions]) -> str:
    """A memory as one markdown file."""
    return MarkdownWriter(mind, options).write_document()


def export_markdown_files(mind: Mind, **options: Unpack[ExportOptions]) -> dict[str, str]:
    """The same as files by their names: ``README.md``, and one for each month of the timeline."""
    writer = MarkdownWriter(mind, options)
    contents, say = writer.contents, writer.say
    months = {
        f"{key}.md": list(days)
        for key, days in groupby(contents.days, lambda day: f"{day.day:%Y-%m}")
    }
    writer.places = {
        turn.id: file
        for file, days in months.items()
        for day in days
        for session in day.sessions
        for turn in session.turns
    }
    listed = [f"- [{say.date('month', days[0].day)}]({file})" for file, days in months.items()]
    timeline = [f"## {say('Timeline')}", "\n".join(listed)] if listed else []
    files = {INDEX: _join([*writer.write_overview(), *timeline, *writer.write_ending()])}
    for file, days in months.items():
        files[file] = _join(writer.write_timeline(days, INDEX))
    return files


# --- escaping -------------------------------------------------------------------------------------


def escape(text: str) -> str:
    """A text in one paragraph, its lines kept by hard breaks."""
    return "  \n".join(map(_escape_line, text.strip().split("\n")))


def _escape_line(line: str) -> str:
    """One line: signs of markdown are escaped, and blanks before it do not make it code."""
    body = line.strip(" \t\r")
    if not body:
        return "\u00a0"  # an empty line would end the paragraph
    lead = line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4)
    marked = _BLOCK.search(body)
    safe = _SPECIAL.sub(r"\\\g<0>", body)
    if marked:
        sign = marked[0]
        safe = f"{sign}\\{safe[len(sign) :]}" if sign.isdigit() else f"\\{safe}"
    return "\u00a0" * len(lead) + safe


def quote(text: str) -> str:
    return "\n".join(f"> {line}" for line in escape(text).split("\n"))


def _make_bold(text: str) -> str:
    """Bold, line by line: emphasis ends where a paragraph breaks, or before a blank."""
    lines = (line for line in escape(text).split("  \n"))
    return "  \n".join(f"**{line}**" if line.strip("\u00a0") else line for line in lines)


def _make_item(text: str) -> str:
    """A bullet; what belongs to it is indented."""
    return "- " + text.replace("\n", "\n  ").replace("\n  \n", "\n\n")


def _join(blocks: Iterator[str] | Sequence[str]) -> str:
    return "\n\n".join(blocks) + "\n"


# --- writing --------------------------------------------------------------------------------------


class MarkdownWriter:
    """Writes the parts of an export in one language.

    ``places`` are the files of turns, by their ids. Every statement has an anchor (m1, m2 …), and
    so has every turn that one of them came from (t1, t2 …).
    """

    def __init__(self, mind: Mind, options: ExportOptions) -> None:
        self.contents = MemoryContents(
            mind,
            at=options.get("at") or datetime.now(UTC),
            secrets=options.get("secrets", False),
            progress=options.get("progress"),
        )
        choice = options.get("language") or mind.settings.memory.language
        texts = [statement.memory.text for statement in self.contents.known]
        texts += (turn.text for turn in islice(self.contents.turns, _SAMPLE))
        self.say = Phrases(language_of(texts, choice))
        self.places: Mapping[str, str] = {}
        self._name = options.get("name", "")
        statements = (*self.contents.known, *self.contents.past, *self.contents.pending)
        self._learned: dict[str, list[Memory]] = defaultdict(list)
        for statement in statements:
            for turn in statement.turns:
                self._learned[turn.id].append(statement.memory)
        cited = [turn.id for turn in self.contents.turns if turn.id in self._learned]
        self._anchors: dict[str, str] = {
            **{statement.memory.id: f"m{number}" for number, statement in enumerate(statements, 1)},
            **{turn: f"t{number}" for number, turn in enumerate(cited, 1)},
        }

    @property
    def title(self) -> str:
        """Whose memory it is."""
        name = self._name or ("" if self.contents.space == "default" else self.contents.space)
        return self.say("Memory of {name}", name=self._line(name)) if name else self.say("Memory")

    def write_document(self) -> str:
        """Everything in one file."""
        timeline = self.write_timeline(self.contents.days)
        return _join([*self.write_overview(), *timeline, *self.write_ending()])

    def write_overview(self) -> Iterator[str]:
        """Everything but the timeline."""
        contents, say = self.contents, self.say
        yield f"# {escape(self.title)}"
        yield escape(self._span())
        if contents.off:
            yield say("Memory is switched off: this is what the plain files hold.")
        yield self._figures()
        yield from self._growth()
        yield f"## {say('What is known')}"
        if not contents.known:
            yield say("Nothing is known yet. Memories appear here as conversations are read.")
        for kind, of_kind in groupby(contents.known, lambda entry: entry.memory.kind):
            yield f"### {escape(self._line(say.kind(kind)))}"
            subjects = [
                list(group)
                for _, group in groupby(of_kind, lambda entry: entry.memory.subject.casefold())
            ]
            for statements in subjects:
                if len(subjects) > 1:
                    yield f"#### {escape(self._subject(statements[0].memory))}"
                yield from map(self._statement, statements)
        yield from self._questions()
        if contents.past:
            yield f"## {say('What was known before')}"
        for statement in contents.past:
            yield self._statement(statement, self._explain_end(statement.memory), over=True)
        if contents.attachments:
            yield f"## {say('Files')}"
            yield "\n".join(map(self._file, contents.attachments))

    def write_ending(self) -> list[str]:
        """What to know of this copy."""
        say, at = self.say, self.contents.local(self.contents.at)
        zone = f"UTC{at:%z}" if self.contents.zone == LOCAL else str(self.contents.zone)
        exported = say(
            "Exported {at}. Times are those of the zone {zone}.", at=say.moment(at), zone=zone
        )
        masked = say("Secrets are masked.")
        if self.contents.masked is None:
            masked = say("This copy shows secrets: keep it safe.")
        return ["---", escape(f"{exported} {masked}")]

    def write_timeline(self, days: Sequence[RecordedDay], back: str = "") -> Iterator[str]:
        """Conversations by day; ``back`` is the file that the links to statements lead to."""
        if not days:
            return
        yield f"# {self.say.date('month', days[0].day)}" if back else f"## {self.say('Timeline')}"
        for day in days:
            yield f"### {self.say.date('weekday', day.day)}"
            for session in day.sessions:
                yield from self._session(session, back)
            if day.events:
                notes = (escape(self._line(event.summary, _RESULT)) for event in day.events)
                yield "\n".join([f"{self.say('Notes of the day')}:", "", *map(_make_item, notes)])

    # --- the head ---------------------------------------------------------------------------------

    def _span(self) -> str:
        """From when to when it tells."""
        stats = self.contents.stats
        if stats.first_at is None or stats.last_at is None:
            return self.say("Nothing has been recorded yet.")
        first, last = self._day(stats.first_at), self._day(stats.last_at)
        return self.say("From {first} to {last}.", first=first, last=last)

    def _figures(self) -> str:
        contents = self.contents
        counts = {
            "statement": len(contents.known),
            "conversation": sum(len(day.sessions) for day in contents.days),
            "turn": contents.stats.turns,
            "file": len(contents.attachments),
            "question": len(contents.pending) + len(contents.questions),
        }
        return " · ".join(
            self.say.count(count, thing)
            for thing, count in counts.items()
            if count or thing in ("statement", "turn")
        )

    def _growth(self) -> Iterator[str]:
        """Turns and statements known at the end of each month in which there was anything."""
        contents, total = self.contents, 0
        turns = Counter(self._month(turn.at) for turn in contents.turns)
        learned = Counter[date]()
        for memory in contents.versions:
            if memory.status in _HELD:
                learned[self._month(memory.created_at)] += 1
                ends = (memory.expires_at, memory.valid_to)
                ended = min((end for end in ends if end and end <= contents.at), default=None)
                if memory.status != "active":
                    ended = memory.superseded_at or memory.updated_at
                if ended is not None:
                    learned[self._month(ended)] -= 1
        rows = []
        for month in sorted({*turns, *learned}):
            total += learned[month]
            rows.append(f"| {self.say.date('month', month)} | {turns[month]:,} | {total:,} |")
        if len(rows) > 1:
            heads = f"|  | {self.say('Turns per month')} | {self.say('Statements known')} |"
            yield "\n".join([heads, "|---|---:|---:|", *rows[-_MONTHS:]])

    # --- statements -------------------------------------------------------------------------------

    def _statement(self, statement: Statement, *notes: str, over: bool = False) -> str:
        memory = statement.memory
        since = self._format_held(memory) if over else self._since(memory)
        secret = self.contents.secrets.get(memory.id, "")
        details = [since, *notes, *self._details(memory)]
        if secret:
            details.append(self.say("the secret: {secret}", secret=visible(secret)))
        lines = [
            f"{self._anchor(memory.id)}{_make_bold(self._cut(memory.text))}  ",
            " · ".join(map(escape, details)),
            *(self._quotation(turn, memory) for turn in statement.turns),
            *(
                f"\n{self.say('Before that')}: ~~{escape(self._line(version.text, 400))}~~"
                f" ({escape(self._format_held(version))})"
                for version in reversed(statement.before)
            ),
        ]
        return _make_item("\n".join(lines))

    def _subject(self, memory: Memory) -> str:
        if not memory.subject:
            return self.say("Anything else")
        return self.say("You") if memory.subject == _OWNER else self._line(memory.subject)

    def _since(self, memory: Memory) -> str:
        """Since when it is true, and until when."""
        since, until = self._day(memory.valid_from), memory.valid_to
        if until is None:
            return self.say("since {day}", day=since)
        return self.say("from {first} to {last}", first=since, last=self._day(until))

    def _format_held(self, memory: Memory) -> str:
        """The days on which an earlier version held."""
        ends = (memory.valid_to, memory.superseded_at, memory.expires_at)
        began, ended = memory.valid_from, min(filter(None, ends), default=memory.updated_at)
        if ended <= began:  # it was corrected: it never held, but was believed for a while
            began, ended = memory.created_at, memory.superseded_at or memory.updated_at
        return self.say("from {first} to {last}", first=self._day(began), last=self._day(ended))

    def _explain_end(self, memory: Memory) -> str:
        """Why it does not hold any more."""
        if memory.status == "superseded":
            return self.say("replaced")
        ends = (memory.expires_at, memory.valid_to)
        over = any(end is not None and end <= self.contents.at for end in ends)
        return self.say("expired") if over else self.say("withdrawn or put away")

    def _details(self, memory: Memory) -> Iterator[str]:
        """How sure it is, who says it, and what it belongs to."""
        say = self.say
        learned, since = self._day(memory.created_at), self._day(memory.valid_from)
        yield say("sure: {share}", share=f"{memory.confidence:.0%}")
        if memory.confirmations:
            yield say.count(memory.confirmations, "again")
        if learned != since:
            yield say("learned {day}", day=learned)
        if memory.expires_at:
            yield say("expires {day}", day=self._day(memory.expires_at))
        if memory.trust != "owner":
            yield say.trust(memory.trust)
        yield from self._partition(memory.project, memory.topic)
        for tag in memory.tags:
            yield f"#{self._line(tag)}"

    def _partition(self, project: str, topic: str = "") -> Iterator[str]:
        if project not in ("", GLOBAL_PROJECT):
            yield self.say("project {name}", name=self._line(project))
        if topic not in ("", GENERAL_TOPIC):
            yield self.say("topic {name}", name=self._line(topic))

    def _quotation(self, turn: Turn, memory: Memory) -> str:
        """A source of a statement; of a long one the part around the statement."""
        text = self._text(turn.text or "\n".join(result.content for result in turn.tool_results))
        places = (text.find(words) for words in (memory.text, memory.value) if words)
        place = next((offset for offset in places if offset >= 0), 0)
        start = max(0, min(place - _QUOTED // 4, len(text) - _QUOTED))
        end = start + _QUOTED
        excerpt = f"{'…' * bool(start)}{text[start:end].strip()}{'…' * (end < len(text))}"
        who = f"{escape(self._speaker(turn))}, {self.say.moment(self.contents.local(turn.at))}"
        link = f"{self.places.get(turn.id, '')}#{self._anchors[turn.id]}"
        return f"\n{quote(excerpt)}\n>\n> — [{who}]({link})"

    def _questions(self) -> Iterator[str]:
        """What waits for a person, and what the agent is working on."""
        say, contents = self.say, self.contents
        parts = [self._statement(entry, say("waits for your word")) for entry in contents.pending]
        for question in contents.questions:
            names = ", ".join(self._line(name) for name in question.documents)
            note = say("You took this out of {documents}: is it to be forgotten?", documents=names)
            parts.append(self._statement(Statement(question.memory), note))
        states = contents.stats.turn_states
        unread = sum(states.get(state, 0) for state in ("new", "failed", "dead"))
        if unread and not contents.off:
            parts.append(say("{turns} not read yet", turns=say.count(unread, "turn")))
        for title, lines in (
            (say("Current task"), (contents.pad.focus,)),
            (say("Questions"), contents.pad.questions),
            (say("Next steps"), contents.pad.next_steps),
        ):
            items = [_make_item(escape(self._line(line, 400))) for line in filter(None, lines)]
            parts += [f"#### {title}", "\n".join(items)] if items else []
        if parts:
            yield f"## {say('Open questions')}"
            yield from parts

    def _file(self, file: Attachment) -> str:
        say = self.say
        details = (
            say("made") if file.direction == "outbound" else say("received"),
            say.moment(self.contents.local(file.created_at)),
            self._line(file.mime),
            say.size(file.size) if file.size else "",
            self._line(file.path or file.url, 400),
        )
        lines = [f"{_make_bold(self._line(file.original_filename or file.filename))}  "]
        if file.description:
            lines.append(f"{escape(self._line(file.description, _RESULT))}  ")
        lines.append(" · ".join(map(escape, filter(None, details))))
        for words in filter(None, (file.transcription, file.extracted_text)):
            lines.append(f"\n{quote(self._cut(words, _RESULT))}")
        return _make_item("\n".join(lines))

    # --- conversations ----------------------------------------------------------------------------

    def _session(self, session: RecordedSession, back: str) -> Iterator[str]:
        goals = (episode.goal or episode.summary for episode in session.episodes)
        words = (turn.text for turn in session.turns if turn.role == "user")
        titles = (session.info.topic, *goals, *words, session.info.id)
        yield f"#### {escape(self._line(next(title for title in titles if title.strip())))}"
        about = [
            self.say.count(len(session.turns), "turn"),
            *(self.say(episode.outcome) for episode in session.episodes[-1:]),
            *map(escape, self._partition(session.info.project)),
        ]
        yield " · ".join(about)
        for episode in session.episodes:
            yield escape(self._cut(episode.summary))
            steps = [
                f"{escape(self._line(step.tool))} {escape(self._json(step.params))} →"
                f" {escape(self._line(step.result if step.success else step.error, _RESULT))}"
                for step in episode.actions
            ]
            if steps:
                yield "\n".join(map(_make_item, steps))
        for turn in session.turns:
            yield self._turn(turn, back)

    def _turn(self, turn: Turn, back: str) -> str:
        hour = f"{self.contents.local(turn.at):%H:%M}"
        parts = [f"{self._anchor(turn.id)}{_make_bold(self._speaker(turn))} {hour}"]
        if turn.text:
            parts.append(quote(self._cut(turn.text)))
        for call in turn.tool_calls:
            name = f"{self.say('tool call')} {self._line(call.name)}"
            parts.append(f"{escape(name)}: {escape(self._json(call.input))}")
        for result in turn.tool_results:
            title = self.say("tool error") if result.is_error else self.say("tool result")
            parts += [f"{title}:", quote(self._cut(result.content, _RESULT))]
        learned = self._learned.get(turn.id, ())
        if learned:
            links = " · ".join(
                f"[{escape(self._line(memory.text, 60))}]({back}#{self._anchors[memory.id]})"
                for memory in learned
            )
            parts.append(self.say("Learned from this: {memories}", memories=links))
        return "\n\n".join(parts)

    def _speaker(self, turn: Turn) -> str:
        return self._line(turn.sender or self.say(turn.role))

    # --- texts ------------------------------------------------------------------------------------

    def _text(self, text: str) -> str:
        """A stored text with its lines, its secrets masked."""
        masked = self.contents.masked
        shown = text if masked is None else redact(text, masked)
        return visible(shown.replace("\r\n", "\n"), kept="\n\t")

    def _line(self, text: str, most: int = _TITLE) -> str:
        """A stored text on one line."""
        line = " ".join(self._text(text).split())
        return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"

    def _cut(self, text: str, most: int = _LONGEST) -> str:
        """A stored text of at most ``most`` characters; says how many are left out."""
        shown = self._text(text)
        if len(shown) <= most:
            return shown
        more = self.say("… {count} more characters", count=f"{len(shown) - most:,}")
        return f"{shown[:most]} {more}"

    def _json(self, value: Mapping[str, Any]) -> str:
        """The arguments of a tool call."""
        masked = self.contents.masked
        shown = dict(value) if masked is None else redact_json(dict(value), masked)
        return self._cut(json.dumps(shown, ensure_ascii=False, default=str), _RESULT)

    def _anchor(self, id_: str) -> str:
        anchor = self._anchors.get(id_, "")
        return f'<a id="{anchor}"></a>' if anchor else ""

    def _month(self, moment: datetime) -> date:
        return self.contents.local(moment).date().replace(day=1)

    def _day(self, moment: datetime) -> str:
        return self.say.date("day", self.contents.local(moment).date())
