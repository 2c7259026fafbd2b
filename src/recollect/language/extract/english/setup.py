"""Ports and paths, as told in English."""

from __future__ import annotations

import re

from recollect.language.extract.found import Found, Row
from recollect.language.extract.products import canonical
from recollect.language.extract.rows import read_row
from recollect.language.extract.values import clean

_ALSO = re.compile(
    r"\s+and (?:my |our |the )?(?P<s>[\w -]{2,30}?)(?: one)? (?:is |runs |listens )?on (?:port )?"
    r"(?P<v>\d{2,5})\b",
    re.I,
)
_PATH = r"(?P<v>(?:~|\.{1,2})?/[\w./@~-]{1,120}|~|[A-Za-z]:\\[\w\\.-]{1,120})"


def setup() -> tuple[Row, ...]:
    own = r"(?:(?:my|our|the) )?(?P<s>[\w.+# -]{2,40}?)"
    return (
        read_row(
            rf"{own} (?:runs|listens|is running|is listening|is exposed|is served|is|lives"
            rf"|sits|answers) (?:on )?(?:localhost:|port |:|(?<=on ))(?P<v>\d{{2,5}})\b"
            rf"(?P<more>.{{0,60}})$",
            _port,
        ),
        read_row(
            r"(?:(?:my|our|the) )?(?P<s>[\w.+# -]{0,30}?)\s?port (?:is|number is|=|has "
            r"changed to|changed to|was changed to)(?: now)? (?P<v>\d{2,5})$",
            _port,
        ),
        read_row(
            rf"{own} (?:is|lives|is located|is stored|are stored|is kept|are kept|are|live"
            r"|sits|sit|resides|is installed|is mounted|go|goes|end up|get written)(?: in| "
            rf"at| under| to| inside)? {_PATH}(?![\w/]).*$",
            _path,
        ),
        read_row(
            r"(?:i|we) (?:keep|store|put|save|have) (?:my |our |the |all (?:my |our |the "
            rf")?)?(?P<s>[\w -]{{2,40}}?) (?:in|at|under|inside) {_PATH}(?![\w/]).*$",
            _path,
        ),
    )


def _port(match: re.Match[str]) -> list[Found] | None:
    subject = clean(match["s"]) or "project"
    if subject.lower() in ("it", "this", "that", "which", "there"):
        return None
    changed = "chang" in match.group()
    found = [Found("config", canonical(subject), "port", match["v"], is_update=changed)]
    also = _ALSO.match(match.groupdict().get("more") or "")
    return [*found, Found("config", clean(also["s"]), "port", also["v"])] if also else found


def _path(match: re.Match[str]) -> Found | None:
    subject = re.sub(
        r"\s(?:path|directory|folder|dir|root|location)$", "", clean(match["s"]), flags=re.I
    )
    if subject.lower() in ("it", "this", "that", "which", "there", "file", "error", "i"):
        return None
    return Found("config", subject, "path", match["v"].rstrip("."))
