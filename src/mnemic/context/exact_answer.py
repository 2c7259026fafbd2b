"""The line that answers an exact question: how many, the latest, the first, on which days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mnemic.clock import Zone, in_zone
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


def exact_answer(query: str, hits: Sequence[Hit], zone: Zone, language: Language) -> str:
    """The figure or the date that an exact question asks for, from the records that have all its
    words; empty where there are none.
    """
    exact = [hit for hit in hits if EXACT_TOTAL in hit.why.parts]
    question = exact_question(query) if exact else None
    if question is None or question.kind not in _LINES[language]:
        return ""
    dates = [in_zone(hit.valid_from or hit.at, zone).date().isoformat() for hit in exact]
    distinct = sorted(set(dates))
    days = ", ".join(distinct[-_MOST_DAYS:])
    first = distinct[-1] if question.kind == "latest" else distinct[0]
    total = round(exact[0].why.parts[EXACT_TOTAL])
    return _LINES[language][question.kind].format(
        topic=question.topic, total=total, days=days, first=first
    )
