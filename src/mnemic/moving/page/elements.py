"""HTML made of escaped text: the only way a stored text gets into the page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


class Html(str):
    """Markup of the page itself, in which every text is escaped; a plain string is text."""

    __slots__ = ()


NOTHING = Html()


def element(name: str, *inside: str, **attributes: str) -> Html:
    """An element; what is not Html in it is escaped. ``class_`` stands for the attribute class."""
    named = "".join(
        f' {key.rstrip("_")}="{escape(value)}"' for key, value in attributes.items() if value
    )
    return Html(f"<{name}{named}>{joined(inside)}</{name}>")


def joined(parts: Iterable[str], by: str = "") -> Html:
    """Parts one after another; empty ones are left out."""
    return Html(by.join(_html(part) for part in parts if part))


def _html(part: str) -> str:
    return part if isinstance(part, Html) else escape(part)
