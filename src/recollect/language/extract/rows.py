"""How a pattern becomes what was found: the few shapes that both languages share."""

from __future__ import annotations

import re
from collections.abc import Callable

from recollect.language.extract.found import (
    USER,
    Found,
    Read,
    Row,
)
from recollect.language.extract.products import (
    bare_version,
    product,
    sort_of,
    versioned,
)
from recollect.language.extract.values import clean, thing, tool
from recollect.types import Kind

Check = Callable[[str], str]


def row(
    pattern: str,
    kind: Kind,
    predicate: str,
    check: Check = thing,
    *,
    update: bool = False,
    withdraws: bool = False,
    subject: str = USER,
) -> Row:
    """A statement whose group ``v`` is the value, if ``check`` leaves something of it."""

    def read(match: re.Match[str]) -> Found | None:
        value = check(match["v"])
        if not value:
            return None
        return Found(kind, subject, predicate, value, is_update=update, withdraws=withdraws)

    return compiled(pattern), read


def fixed(pattern: str, kind: Kind, predicate: str, value: str, *, withdraws: bool = False) -> Row:
    """A statement that says its value by being made."""

    def read(match: re.Match[str]) -> Found:
        return Found(kind, USER, predicate, value, withdraws=withdraws)

    return compiled(pattern), read


def read_row(pattern: str, read: Read) -> Row:
    return compiled(pattern), read


def compiled(pattern: str) -> re.Pattern[str]:
    """Case counts for nothing but where a capital letter is asked for."""
    return re.compile(re.sub(r"\[A-Z&?\]", lambda m: f"(?-i:{m[0]})", pattern), re.I)


def choice(
    text: str,
    *,
    subject: str = USER,
    update: bool = False,
    withdraws: bool = False,
    known: bool = False,
) -> Found | None:
    """The product in use, in the slot of its version or of its sort."""
    text = clean(text)
    pair = None if product(text) else versioned(text)
    if pair:
        return version(pair[0], pair[1], subject=subject, update=update, withdraws=withdraws)
    name = tool(text, known=known)
    if not name:
        return None
    predicate = sort_of(name) or "uses"
    return Found("config", subject, predicate, name, is_update=update, withdraws=withdraws)


def version(
    name: str, number: str, *, subject: str = USER, update: bool = False, withdraws: bool = False
) -> Found:
    """An operating system is its name and number; of anything else the number changes."""
    if sort_of(name) == "os":
        return Found(
            "config", subject, "os", f"{name} {number}", is_update=update, withdraws=withdraws
        )
    return Found("config", name, "version", number, is_update=update, withdraws=withdraws)


def upgraded(name: str, target: str, *, subject: str = USER) -> Found | None:
    """A change of version; the product may stand on either side, or nowhere."""
    target = clean(target)
    pair = versioned(target)
    if pair:
        return version(*pair, subject=subject, update=True)
    number = bare_version(target)
    if not number:
        return choice(target, subject=subject, update=True, known=True)
    name = re.sub(
        r"^(?:the|my|our|from|把|将|我的|我们的|项目的?)\s*", "", name.strip(), flags=re.I
    )
    name = re.sub(r"(?:的?版本|\s+(?:version|from .*)|从.*)$", "", name, flags=re.I).strip()
    pair = versioned(name)
    name = pair[0] if pair else name
    if name and not product(name) and not re.fullmatch(r"[A-Za-z][\w.+#-]*(?: [A-Z]\w*)?", name):
        return None
    known = product(name)
    # With no name the caller finds the product in what was said before, or drops it.
    return version(known[0] if known else name, number, subject=subject, update=True)
