"""The parts of the page about what is known, was known, and waits for a word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from mnemic.moving.contents import Statement
from mnemic.moving.export_text import ExportText
from mnemic.moving.page.elements import NOTHING, Html, element, joined
from mnemic.types import Memory, Turn

_OPEN = 30  # statements of a kind that are not folded
_SOURCES = 2  # sources that are not folded
_STEPS = 3  # earlier versions that are not folded


def moment(text: ExportText, at: datetime, shown: str) -> Html:
    """A time that programs can read as well."""
    return element("time", shown, datetime=text.contents.local(at).isoformat(timespec="minutes"))


def known(text: ExportText) -> Html:
    """What holds now, by kind and subject."""
    say = text.say
    inside = [element("h2", say("What is known"))]
    if not text.contents.known:
        nothing = say("Nothing is known yet. Memories appear here as conversations are read.")
        inside.append(element("p", nothing, class_="empty"))
    else:
        inside += [_search(text), *_kinds(text)]
    return element("section", joined(inside, "\n"), id="known")


def _search(text: ExportText) -> Html:
    """The search box, which the script shows."""
    label = text.say("Search in what is known")
    count = {"aria-live": "polite", "data-of": text.say("{shown} of {all}")}
    return element(
        "form",
        Html(element("input", type="search", placeholder=label, **{"aria-label": label})
             .removesuffix("</input>")),
        element("output", **count),
        class_="search",
        role="search",
        hidden="hidden",
    )  # fmt: skip


def _kinds(text: ExportText) -> Iterator[Html]:
    for title, subjects in text.kinds():
        count = sum(len(statements) for _, statements in subjects)
        small = element("small", text.say.number(count))
        shown, left = list[Html](), list[Html]()
        room = _OPEN
        for subject, statements in subjects:
            heading = subject if len(subjects) > 1 else ""
            fits = statements[: max(room, 0)]
            rest = statements[len(fits) :]
            room -= len(fits)
            shown += _about(text, heading, fits)
            left += _about(text, heading, rest)
        if left:
            more = text.say.count(count - min(count, _OPEN), "more")
            shown.append(_folded(more, joined(left, "\n")))
        yield element(
            "section", element("h3", title, " ", small), joined(shown, "\n"), class_="kind"
        )


def _about(text: ExportText, subject: str, statements: Sequence[Statement]) -> list[Html]:
    if not statements:
        return []
    heading = element("h4", subject, dir="auto") if subject else NOTHING
    return [element("div", heading, joined((card(text, one) for one in statements), "\n"),
                    class_="about")]  # fmt: skip


def _folded(summary: str, inside: Html) -> Html:
    return element("details", element("summary", summary), inside, class_="folded")


def card(text: ExportText, statement: Statement, *notes: str, over: bool = False) -> Html:
    """One statement: what it says, since when and how sure, where it was said, what was before."""
    memory = statement.memory
    since = text.held(memory) if over else text.since(memory)
    secret = text.secret(memory)
    meta = [
        element("li", moment(text, memory.valid_from, since), class_="since"),
        *(element("li", note, class_="warn") for note in notes),
        *(element("li", element("bdi", one)) for one in text.details(memory)),
        element("li", secret, class_="secret") if secret else NOTHING,
    ]
    return element(
        "article",
        element("p", text.statement(memory), class_="says", dir="auto"),
        element("ul", joined(meta), class_="meta"),
        _sources(text, statement.turns, memory),
        _chain(text, statement.before),
        class_="card",
        id=text.anchors.get(memory.id, ""),
    )


def _sources(text: ExportText, turns: Sequence[Turn], memory: Memory) -> Html:
    """The turns that say it, each linked to its place in the timeline."""
    quoted = [_quotation(text, turn, memory) for turn in turns]
    shown, left = quoted[:_SOURCES], quoted[_SOURCES:]
    if left:
        shown.append(_folded(text.say.count(len(left), "source"), joined(left)))
    return joined(shown)


def _quotation(text: ExportText, turn: Turn, memory: Memory) -> Html:
    who = element("bdi", text.speaker(turn))
    when = moment(text, turn.at, text.moment(turn.at))
    return element(
        "figure",
        element("blockquote", text.quote(turn, memory), dir="auto"),
        element(
            "figcaption",
            "— ",
            element("a", joined((who, ", ", when)), href=f"#{text.anchors[turn.id]}"),
        ),
    )


def _chain(text: ExportText, before: Sequence[Memory]) -> Html:
    """Earlier versions, the latest first, as one reads backwards."""
    steps = [
        element(
            "li",
            element("s", text.statement(version), dir="auto"),
            " ",
            element("small", text.held(version)),
        )
        for version in reversed(before)
    ]
    if not steps:
        return NOTHING
    listed = element("ol", joined(steps), class_="chain")
    if len(steps) > _STEPS:
        return _folded(text.say.count(len(steps), "version"), listed)
    return joined((element("p", text.say("Before that"), class_="before"), listed))


def past(text: ExportText) -> Html:
    """What held once and has no current version."""
    statements = text.contents.past
    if not statements:
        return NOTHING
    cards = [card(text, one, text.ended(one.memory), over=True) for one in statements]
    shown = cards[:_OPEN]
    if len(cards) > _OPEN:
        more = text.say.count(len(cards) - _OPEN, "more")
        shown.append(_folded(more, joined(cards[_OPEN:], "\n")))
    heading = element("h2", text.say("What was known before"))
    return element("section", heading, joined(shown, "\n"), id="past")


def questions(text: ExportText) -> Html:
    """What waits for a person, and what the agent is working on."""
    say = text.say
    inside = [card(text, one, say("waits for your word")) for one in text.contents.pending]
    for question in text.contents.questions:
        named = ", ".join(text.line(name) for name in question.documents)
        asked = say("You took this out of {documents}: is it to be forgotten?", documents=named)
        inside.append(card(text, Statement(question.memory), asked))
    inside += [element("p", line) for line in text.waiting()]
    pad = [
        joined((element("h4", title), element("ul", joined(
            element("li", line, dir="auto") for line in lines))))
        for title, lines in text.pad()
    ]  # fmt: skip
    if pad:
        inside += [element("h3", say("On the agent's scratchpad")), *pad]
    if not inside:
        return NOTHING
    heading = element("h2", say("Open questions"))
    return element("section", heading, joined(inside, "\n"), id="open")
