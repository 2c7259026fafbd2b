"""A memory as one HTML page that needs nothing but itself."""

from __future__ import annotations

from typing import Unpack

from mnemic.engine.mind import Mind
from mnemic.moving.export_text import ExportOptions, ExportText, export_text
from mnemic.moving.page.assets import POLICY, SCRIPT, STYLE
from mnemic.moving.page.chart import charts
from mnemic.moving.page.elements import Html, element, joined
from mnemic.moving.page.statements import known, past, questions
from mnemic.moving.page.timeline import files, timeline

_NAVIGATION = {
    "known": "What is known",
    "past": "What was known before",
    "open": "Open questions",
    "files": "Files",
    "timeline": "Timeline",
}


def export_page(mind: Mind, **options: Unpack[ExportOptions]) -> str:
    """The page of a memory."""
    return f"<!doctype html>\n{_document(export_text(mind, options))}\n"


def _document(text: ExportText) -> Html:
    sections = {
        "known": known(text),
        "open": questions(text),
        "past": past(text),
        "files": files(text),
        "timeline": timeline(text),
    }
    body = (
        element("a", text.say("Skip to the contents"), href="#main", class_="skip"),
        _header(text),
        _navigation(text, [name for name, section in sections.items() if section]),
        element("main", joined(sections.values(), "\n"), id="main"),
        element("footer", joined(element("p", note) for note in text.notes())),
        element("script", Html(SCRIPT)),
    )
    return element("html", _head(text), element("body", joined(body, "\n")), lang=text.say.code)


def _head(text: ExportText) -> Html:
    metas = (
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="generator" content="mnemic">',
    )
    return element(
        "head", *map(Html, metas), element("title", text.title()), element("style", Html(STYLE))
    )


def _header(text: ExportText) -> Html:
    figures = [
        element("li", element("b", text.say.number(count)), text.say.thing(count, thing))
        for count, thing in text.figures()
    ]
    off = text.say("Memory is switched off: this is what the plain files hold.")
    return element(
        "header",
        element("h1", text.title(), dir="auto"),
        element("p", text.span(), class_="span"),
        element("p", off, class_="warn") if text.contents.off else "",
        element("ul", joined(figures), class_="figures"),
        charts(text),
    )


def _navigation(text: ExportText, names: list[str]) -> Html:
    links = [
        element("li", element("a", text.say(_NAVIGATION[name]), href=f"#{name}")) for name in names
    ]
    return element("nav", element("ul", joined(links)), **{"aria-label": text.say("Contents")})
