"""A memory as markdown to read: one file, or a folder with the timeline in a file a month.

Stored text is escaped so that it stays text wherever it stands: no heading, list, link, table,
code or HTML comes out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Unpack

from mnemic.engine.mind import Mind
from mnemic.moving.contents import RecordedDay, RecordedSession, Statement
from mnemic.moving.export_text import ExportOptions, ExportText, export_text
from mnemic.moving.growth import growth
from mnemic.types import Attachment, Memory, Turn

INDEX = "README.md"
_MONTHS = 24  # rows of the table of growth
_SPECIAL = re.compile(
    r"[\\`*{}\[\]<>()#|~&$^]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # within a word it is a letter
    r"|!(?=\[)|(?<=\w)@(?=\w)|:(?=//)|(?i:(?<=www)\.)"  # what some readers make a link of
)
# What begins a block at the beginning of a line; the other signs are escaped everywhere.
_BLOCK = re.compile(r"^(?:[-+=](?=\s|[-+=]|$)|\d{1,9}(?=[.)]))")


def export_markdown(mind: Mind, **options: Unpack[ExportOptions]) -> str:
    """A memory as one markdown file."""
    text = export_text(mind, options)
    writer = MarkdownWriter(text, {})
    parts = [*writer.overview(), *writer.timeline(text.contents.days), *writer.ending()]
    return "\n\n".join(parts) + "\n"


def export_markdown_files(mind: Mind, **options: Unpack[ExportOptions]) -> dict[str, str]:
    """The same as files by their names: ``README.md``, and one for each month of the timeline."""
    text = export_text(mind, options)
    months = {
        f"{key}.md": list(days)
        for key, days in groupby(text.contents.days, lambda day: f"{day.day:%Y-%m}")
    }
    place: dict[str, str] = {
        turn.id: file
        for file, days in months.items()
        for day in days
        for session in day.sessions
        for turn in session.turns
    }
    writer = MarkdownWriter(text, place)
    listed = [f"- [{text.say.month(days[0].day)}]({file})" for file, days in months.items()]
    index = [
        *writer.overview(),
        *([f"## {text.say('Timeline')}", "\n".join(listed)] * bool(listed)),
    ]
    files = {INDEX: "\n\n".join([*index, *writer.ending()]) + "\n"}
    for file, days in months.items():
        files[file] = "\n\n".join(writer.timeline(days, INDEX)) + "\n"
    return files


def escaped(text: str) -> str:
    """A text in one paragraph, its lines kept by hard breaks."""
    lines = [_escaped_line(line) for line in text.strip().split("\n")]
    return "  \n".join(lines)


def _escaped_line(line: str) -> str:
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


def quoted(text: str) -> str:
    """A text as a quotation."""
    return "\n".join(f"> {line}" for line in escaped(text).split("\n"))


class MarkdownWriter:
    """Writes the parts of an export; ``places`` are the files of turns, by their ids."""

    def __init__(self, text: ExportText, places: Mapping[str, str]) -> None:
        self._text = text
        self._say = text.say
        self._places = places

    # --- what is known ----------------------------------------------------------------------------

    def overview(self) -> Iterator[str]:
        """Everything but the timeline."""
        text, say = self._text, self._say
        yield f"# {escaped(text.title())}"
        yield escaped(text.span())
        if text.contents.off:
            yield say("Memory is switched off: this is what the plain files hold.")
        yield " · ".join(say.count(count, thing) for count, thing in text.figures())
        yield from self._growth()
        yield f"## {say('What is known')}"
        if not text.contents.known:
            yield say("Nothing is known yet. Memories appear here as conversations are read.")
        for title, subjects in text.kinds():
            yield f"### {escaped(title)}"
            for subject, statements in subjects:
                if len(subjects) > 1:
                    yield f"#### {escaped(subject)}"
                for statement in statements:
                    yield self._statement(statement)
        yield from self._questions()
        if text.contents.past:
            yield f"## {say('What was known before')}"
        for statement in text.contents.past:
            yield self._statement(statement, text.ended(statement.memory), over=True)
        if text.contents.attachments:
            yield f"## {say('Files')}"
            yield "\n".join(map(self._file, text.contents.attachments))

    def ending(self) -> list[str]:
        return ["---", escaped(" ".join(self._text.notes()))]

    def _growth(self) -> Iterator[str]:
        grown = growth(self._text.contents, _MONTHS)
        if grown is None or len(grown.days) < 2:
            return
        say = self._say
        heads = ("", say(f"Turns a {grown.step}"), say("Statements known"))
        rows = [
            f"| {say.day(day)} | {say.number(turns)} | {say.number(known)} |"
            for day, turns, known in zip(grown.days, grown.turns, grown.known, strict=True)
        ]
        yield "\n".join([f"| {' | '.join(heads)} |", "|---|---:|---:|", *rows])

    def _statement(self, statement: Statement, *notes: str, over: bool = False) -> str:
        text, memory = self._text, statement.memory
        anchor = text.anchors.get(memory.id, "")
        mark = f'<a id="{anchor}"></a>' if anchor else ""
        secret = text.secret(memory)
        since = text.held(memory) if over else text.since(memory)
        details = [since, *notes, *text.details(memory), *([secret] * bool(secret))]
        lines = [
            f"{mark}{_bold(text.statement(memory))}  ",
            " · ".join(map(escaped, details)),
            *(self._quotation(turn, memory) for turn in statement.turns),
            *(
                f"\n{self._say('Before that')}: ~~{escaped(text.line(one.content, 400))}~~"
                f" ({escaped(text.held(one))})"
                for one in reversed(statement.before)
            ),
        ]
        return _item("\n".join(lines))

    def _quotation(self, turn: Turn, memory: Memory) -> str:
        text = self._text
        link = f"{self._places.get(turn.id, '')}#{text.anchors[turn.id]}"
        who = f"{escaped(text.speaker(turn))}, {text.moment(turn.at)}"
        return f"\n{quoted(text.quote(turn, memory))}\n>\n> — [{who}]({link})"

    def _questions(self) -> Iterator[str]:
        text, say = self._text, self._say
        parts = [self._statement(one, say("waits for your word")) for one in text.contents.pending]
        for question in text.contents.questions:
            documents = ", ".join(text.line(name) for name in question.documents)
            asked = say("You took this out of {documents}: is it to be forgotten?",
                        documents=documents)  # fmt: skip
            parts.append(self._statement(Statement(question.memory), asked))
        parts += text.waiting()
        for title, lines in text.pad():
            parts += [f"#### {title}", "\n".join(_item(escaped(line)) for line in lines)]
        if parts:
            yield f"## {say('Open questions')}"
            yield from parts

    def _file(self, file: Attachment) -> str:
        text = self._text
        lines = [f"{_bold(text.line(file.original_filename or file.filename))}  "]
        if file.description:
            lines.append(f"{escaped(text.line(file.description, 2_000))}  ")
        lines.append(" · ".join(map(escaped, text.file_details(file))))
        for words in filter(None, (file.transcription, file.extracted_text)):
            lines.append(f"\n{quoted(text.result(words))}")
        return _item("\n".join(lines))

    # --- what was said ----------------------------------------------------------------------------

    def timeline(self, days: Sequence[RecordedDay], back: str = "") -> Iterator[str]:
        """Conversations by day; ``back`` is the file that the links to statements lead to."""
        if not days:
            return
        month = self._say.month(days[0].day)
        yield f"# {month}" if back else f"## {self._say('Timeline')}"
        for day in days:
            yield f"### {self._say.weekday(day.day)}"
            for session in day.sessions:
                yield from self._session(session, back)
            if day.events:
                notes = (escaped(self._text.line(event.summary, 2_000)) for event in day.events)
                yield "\n".join([f"{self._say('Notes of the day')}:", "", *map(_item, notes)])

    def _session(self, session: RecordedSession, back: str) -> Iterator[str]:
        text = self._text
        yield f"#### {escaped(text.session_title(session))}"
        about = [
            self._say.count(len(session.turns), "turn"),
            *(self._say.outcome(episode) for episode in session.episodes[-1:]),
            *map(escaped, text.partition(session.info.project, "")),
        ]
        yield " · ".join(about)
        for episode in session.episodes:
            yield escaped(text.cut(episode.summary))
            steps = [
                f"{escaped(text.line(one.tool))} {escaped(text.arguments(one.params))} →"
                f" {escaped(text.line(one.result if one.success else one.error, 2_000))}"
                for one in episode.actions
            ]
            if steps:
                yield "\n".join(map(_item, steps))
        for turn in session.turns:
            yield self._turn(turn, back)

    def _turn(self, turn: Turn, back: str) -> str:
        text = self._text
        anchor = text.anchors.get(turn.id, "")
        mark = f'<a id="{anchor}"></a>' if anchor else ""
        parts = [f"{mark}{_bold(text.speaker(turn))} {text.hour(turn.at)}"]
        if turn.content:
            parts.append(quoted(text.cut(turn.content)))
        for call in turn.tool_calls:
            name = f"{self._say('tool call')} {text.line(call.name)}"
            parts.append(f"{escaped(name)}: {escaped(text.arguments(call.input))}")
        for result in turn.tool_results:
            title = self._say("tool error" if result.is_error else "tool result")
            parts += [f"{title}:", quoted(text.result(result.content))]
        learnt = text.learnt.get(turn.id, ())
        if learnt:
            links = " · ".join(
                f"[{escaped(text.line(memory.content, 60))}]({back}#{text.anchors[memory.id]})"
                for memory in learnt
            )
            parts.append(self._say("Learnt from this: {memories}", memories=links))
        return "\n\n".join(parts)


def _bold(text: str) -> str:
    """Bold, line by line: emphasis ends where a paragraph breaks, or before a blank."""
    lines = (line for line in escaped(text).split("  \n"))
    return "  \n".join(f"**{line}**" if line.strip("\u00a0") else line for line in lines)


def _item(text: str) -> str:
    """A bullet; what belongs to it is indented."""
    return "- " + text.replace("\n", "\n  ").replace("\n  \n", "\n\n")
