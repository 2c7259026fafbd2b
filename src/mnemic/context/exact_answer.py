"""The line that answers an exact question: how many, the latest, the first, on which days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from mnemic.days import LocalSpan, Zone, day_of
from mnemic.language.exact import ExactKind, exact_question
from mnemic.prompts import ByLanguage, Language
from mnemic.types import EXACT_TOTAL, Hit

_MOST_DAYS = 10
_LINES: ByLanguage[Mapping[ExactKind, str]] = ByLanguage(
    en={
        "count": "Counted: {total} in all mention “{topic}” ({days})",
        "latest": "The latest that mentions “{topic}”: {first}",
        "earliest": "The first that mentions “{topic}”: {first}",
        "when": "Days that mention “{topic}”: {days}",
    },
    zh={
        "count": "统计：提到“{topic}”的共 {total} 条（{days}）",
        "latest": "最近一次提到“{topic}”：{first}",
        "earliest": "最早一次提到“{topic}”：{first}",
        "when": "提到“{topic}”的日期：{days}",
    },
)


_NOTHING = ByLanguage(en="Nothing was recorded {when}", zh="{when}没有任何记录")
_ONE_DAY = ByLanguage(en="on {first}", zh="{first} ")
_DAYS = ByLanguage(en="from {first} to {last}", zh="{first} 至 {last} ")


def nothing_recorded(spans: Sequence[LocalSpan], language: Language) -> str:
    """The line that says so of days that a question is about; empty where there are none."""
    lines = []
    for span in spans:
        first, last = span.wall_since.date(), (span.wall_until - timedelta(days=1)).date()
        when = (_ONE_DAY if first == last else _DAYS)[language].format(first=first, last=last)
        lines.append(_NOTHING[language].format(when=when))
    return "; ".join(lines)


def exact_answer(query: str, hits: Sequence[Hit], zone: Zone, language: Language) -> str:
    """The figure or the date that an exact question asks for, from the records that have all its
    words; empty where there are none.
    """
    exact = [hit for hit in hits if EXACT_TOTAL in hit.why.parts]
    question = exact_question(query) if exact else None
    if question is None or question.kind not in _LINES[language]:
        return ""
    dates = [str(day_of(hit.valid_from or hit.at, zone)) for hit in exact]
    distinct = sorted(set(dates))
    days = ", ".join(distinct[-_MOST_DAYS:])
    first = distinct[-1] if question.kind == "latest" else distinct[0]
    total = round(exact[0].why.parts[EXACT_TOTAL])
    return _LINES[language][question.kind].format(
        topic=question.topic, total=total, days=days, first=first
    )
