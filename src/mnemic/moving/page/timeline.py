"""The parts of the page about what was said, day by day, and the files that came with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from mnemic.moving.contents import RecordedDay, RecordedSession
from mnemic.moving.export_text import ExportText
from mnemic.moving.page.elements import NOTHING, Html, element, joined
from mnemic.moving.page.statements import moment
from mnemic.types import Attachment, Episode, Turn


def timeline(text: ExportText) -> Html:
    """Conversations by day, the latest first, each folded."""
    if not text.contents.days:
        return NOTHING
    parts = [element("h2", text.say("Timeline"))]
    for month, days in groupby(text.contents.days, lambda day: text.say.month(day.day)):
        parts.append(element("h3", month))
        parts += [_day(text, day) for day in days]
    return element("section", joined(parts, "\n"), id="timeline")


def _day(text: ExportText, day: RecordedDay) -> Html:
    notes = [element("li", text.cut(event.summary), dir="auto") for event in day.events]
    noted = (
        element(
            "details",
            element("summary", text.say("Notes of the day")),
            element("ul", joined(notes)),
            class_="folded",
        )
        if notes
        else NOTHING
    )
    heading = element("h4", element("time", text.say.weekday(day.day), datetime=str(day.day)))
    sessions = joined((_session(text, session) for session in day.sessions), "\n")
    return element("div", heading, sessions, noted, class_="day")


def _session(text: ExportText, session: RecordedSession) -> Html:
    began = session.turns[0].at if session.turns else session.info.started_at
    about = [
        text.say.count(len(session.turns), "turn"),
        *(text.say.outcome(episode) for episode in session.episodes[-1:]),
        *text.partition(session.info.project, ""),
    ]
    summary = element(
        "summary",
        element("b", text.session_title(session), dir="auto"),
        element("small", joined((moment(text, began, text.hour(began)), *about), " · ")),
    )
    turns = element("ol", joined((_turn(text, turn) for turn in session.turns), "\n"),
                    class_="turns")  # fmt: skip
    stories = joined(_story(text, episode) for episode in session.episodes)
    return element("details", summary, stories, turns, class_="session")


def _story(text: ExportText, episode: Episode) -> Html:
    steps = [
        element("li", element("b", text.line(action.tool)), " ", text.arguments(action.params),
                " → ", text.result(action.result if action.success else action.error))
        for action in episode.actions
    ]  # fmt: skip
    done = (
        element("details", element("summary", text.say("Steps")), element("ol", joined(steps)),
                class_="folded")
        if steps
        else NOTHING
    )  # fmt: skip
    return joined((element("p", text.cut(episode.summary), class_="story", dir="auto"), done))


def _turn(text: ExportText, turn: Turn) -> Html:
    who = element(
        "p",
        element("b", text.speaker(turn), dir="auto"),
        " ",
        moment(text, turn.at, text.hour(turn.at)),
        class_="who",
    )
    said = element("div", text.cut(turn.content), class_="text", dir="auto")
    return element(
        "li",
        who,
        said if turn.content else NOTHING,
        *_tools(text, turn),
        _learnt(text, turn),
        class_=turn.role,
        id=text.anchors.get(turn.id, ""),
    )


def _tools(text: ExportText, turn: Turn) -> Iterator[Html]:
    for call in turn.tool_calls:
        yield _folded(f"{text.say('tool call')} {text.line(call.name)}", text.arguments(call.input))
    for result in turn.tool_results:
        title = text.say("tool error" if result.is_error else "tool result")
        yield _folded(title, text.result(result.content))


def _folded(title: str, inside: str) -> Html:
    return element(
        "details", element("summary", title), element("pre", inside, dir="auto"), class_="folded"
    )


def _learnt(text: ExportText, turn: Turn) -> Html:
    """Links to what was learnt from a turn."""
    links = [
        element("a", element("bdi", text.line(memory.content, 60)),
                href=f"#{text.anchors[memory.id]}")
        for memory in text.learnt.get(turn.id, ())
    ]  # fmt: skip
    if not links:
        return NOTHING
    before, _, after = text.say("Learnt from this: {memories}").partition("{memories}")
    return element("p", before, joined(links, " · "), after, class_="learnt")


def files(text: ExportText) -> Html:
    """Attachments, the latest first."""
    if not text.contents.attachments:
        return NOTHING
    cards = [_file(text, file) for file in text.contents.attachments]
    heading = element("h2", text.say("Files"))
    return element("section", heading, joined(cards, "\n"), id="files")


def _file(text: ExportText, file: Attachment) -> Html:
    words = [text.result(one) for one in (file.transcription, file.extracted_text) if one]
    meta = [element("li", element("bdi", one)) for one in text.file_details(file)]
    return element(
        "article",
        element("p", text.line(file.original_filename or file.filename), class_="says", dir="auto"),
        element("p", text.cut(file.description), dir="auto") if file.description else NOTHING,
        element("ul", joined(meta), class_="meta"),
        *(_folded(text.say("What it says"), one) for one in words),
        class_="card",
    )
