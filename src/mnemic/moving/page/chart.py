"""Two small plots of how a memory grew, as SVG in the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from mnemic.moving.export_text import ExportText
from mnemic.moving.growth import Growth, growth
from mnemic.moving.page.elements import NOTHING, Html, element, joined

_WIDE, _HIGH, _BELOW = 340, 84, 18  # units of the drawing; below it stand the dates
_MOST = 48  # bars
_TITLES = {step: f"Turns a {step}" for step in ("day", "week", "month", "year")}


def charts(text: ExportText) -> Html:
    """The growth of statements and of turns; nothing for a memory of one day."""
    grown = growth(text.contents, _MOST)
    if grown is None or len(grown.days) < 2:
        return NOTHING
    say = text.say
    return element(
        "div",
        _plot(text, grown, say("Statements known"), grown.known, joined(_curve(grown.known))),
        _plot(text, grown, say(_TITLES[grown.step]), grown.turns, joined(_bars(text, grown))),
        class_="charts",
    )


def _plot(
    text: ExportText, grown: Growth, title: str, counts: Sequence[int], drawing: Html
) -> Html:
    first, last = (text.say.day(day) for day in (grown.days[0], grown.days[-1]))
    most = text.say.number(max(counts))
    described = f"{title}: {first} – {last}, {most}"
    return element(
        "figure",
        element("figcaption", title),
        element(
            "svg",
            element("title", described),
            element("path", class_="axis", d=f"M0 {_HIGH}H{_WIDE}"),
            drawing,
            element("text", most, x="0", y="10"),
            _date(text, grown.days[0], "0", "start"),
            _date(text, grown.days[-1], str(_WIDE), "end"),
            viewBox=f"0 0 {_WIDE} {_HIGH + _BELOW}",
            role="img",
        ),
    )


def _date(text: ExportText, day: date, x: str, anchor: str) -> Html:
    place = {"text-anchor": anchor}
    return element("text", text.say.day(day), x=x, y=str(_HIGH + 14), **place)


def _curve(counts: Sequence[int]) -> Iterator[Html]:
    """The line, and what lies below it."""
    step = _WIDE / (len(counts) - 1)
    line = " ".join(f"{i * step:.1f},{_y(count, counts):.1f}" for i, count in enumerate(counts))
    yield element("polygon", class_="area", points=f"0,{_HIGH} {line} {_WIDE},{_HIGH}")
    yield element("polyline", class_="curve", points=line)


def _bars(text: ExportText, grown: Growth) -> Iterator[Html]:
    wide = _WIDE / len(grown.turns)
    for i, (day, count) in enumerate(zip(grown.days, grown.turns, strict=True)):
        if count:
            top = _y(count, grown.turns)
            yield element(
                "rect",
                element("title", f"{text.say.day(day)}: {text.say.count(count, 'turn')}"),
                class_="bar",
                x=f"{i * wide:.1f}",
                y=f"{top:.1f}",
                width=f"{max(wide * 0.8, 1):.1f}",
                height=f"{_HIGH - top:.1f}",
            )


def _y(count: int, counts: Sequence[int]) -> float:
    """The height of a count; the highest leaves room for its number."""
    return _HIGH - (_HIGH - 16) * count / max(*counts, 1)
