"""The line that answers an exact question: how many, the latest, the first, on which days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from mnemic.days import LocalSpan, Zone, day_of
from mnemic.language.exact import exact_question
from mnemic.prompts import Language, words
from mnemic.types import EXACT_TOTAL, Hit

_MOST_DAYS = 10


def nothing_recorded(spans: Sequence[LocalSpan], language: Language) -> str:
    """The line that says so of days that a question is about; empty where there are none."""
    lines, texts = [], words("exact_answer", language)
    for span in spans:
        first, last = span.wall_since.date(), (span.wall_until - timedelta(days=1)).date()
        when = texts["one_day" if first == last else "days"].format(first=first, last=last)
        lines.append(texts["nothing"].format(when=when))
    return "; ".join(lines)


def exact_answer(query: str, hits: Sequence[Hit], zone: Zone, language: Language) -> str:
    """The figure or the date that an exact question asks for, from the records that have all its
    words; empty where there are none.
    """
    exact = [hit for hit in hits if EXACT_TOTAL in hit.why.parts]
    question = exact_question(query) if exact else None
    line = words("exact_answer", language).get(question.kind) if question else None
    if question is None or line is None:
        return ""
    dates = [str(day_of(hit.valid_from or hit.at, zone)) for hit in exact]
    distinct = sorted(set(dates))
    days = ", ".join(distinct[-_MOST_DAYS:])
    first = distinct[-1] if question.kind == "latest" else distinct[0]
    total = round(exact[0].why.parts[EXACT_TOTAL])
    return line.format(topic=question.topic, total=total, days=days, first=first)
