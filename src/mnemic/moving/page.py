"""A memory as one HTML page that needs nothing but itself: its markdown, rendered."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib import resources
from itertools import pairwise
from typing import Unpack

from markdown_it import MarkdownIt
from markdown_it.token import Token

from mnemic.engine.mind import Mind
from mnemic.moving.markdown import ExportOptions, MarkdownWriter

_SECTIONS = {
    "What is known": "known",
    "Open questions": "open",
    "What was known before": "past",
    "Files": "files",
    "Timeline": "timeline",
}
_ANCHOR = re.compile(r'<a id="[mt]\d+">|</a>')  # the only HTML in the markdown of an export


def export_page(mind: Mind, **options: Unpack[ExportOptions]) -> str:
    writer = MarkdownWriter(mind, options)
    say = writer.say
    ids = {say(title): id_ for title, id_ in _SECTIONS.items()}
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = parser.parse(writer.write_document())
    main = parser.renderer.render(list(_arrange(tokens, ids)), parser.options, {})
    sections = [
        text.content
        for heading, text in pairwise(tokens)
        if heading.type == "heading_open" and heading.tag == "h2"
    ]
    style, script = _read_asset("page.css"), _read_asset("page.js")
    return _read_asset("page.html").format(
        language=say.code,
        # Nothing is fetched, nothing is sent, and no other style or script runs.
        policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)};"
        " base-uri 'none'; form-action 'none'",
        title=escape(writer.title),
        style=style,
        skip=say("Skip to the contents"),
        contents=say("Contents"),
        links="".join(f'<li><a href="#{ids[title]}">{title}</a></li>' for title in sections),
        search=say("Search in what is known"),
        shown=say("{shown} of {all}"),
        main=main,
        script=script,
    )


def _arrange(tokens: Sequence[Token], ids: dict[str, str]) -> Iterator[Token]:
    """The tokens in sections, with every conversation of the timeline folded."""
    section, folded = "", False
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if folded and token.tag in ("h2", "h3", "h4", "hr") and token.nesting >= 0:
            yield _html("</details>\n")
            folded = False
        if token.tag in ("h2", "hr") and token.nesting >= 0 and section:
            yield _html("</section>\n")
            section = ""
        if token.type == "heading_open" and token.tag == "h2":
            section = ids[following.content] if following else ""
            yield _html(f'<section id="{section}">\n')
        if section == "timeline" and token.tag == "h4":
            opens = token.nesting > 0
            yield _html('<details class="session"><summary>' if opens else "</summary>\n")
            folded = True
            continue
        if token.nesting > 0 and token.block:
            token.attrs = {"dir": "auto"}  # and no style, which the policy would not let in
        for child in (token, *(token.children or ())):
            if child.type.startswith("html_") and not _ANCHOR.fullmatch(child.content):
                child.type = "text"
        yield token


def _html(markup: str) -> Token:
    return Token("html_block", "", 0, content=markup)


@cache
def _read_asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
