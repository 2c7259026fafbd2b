"""The words of a query, and those of the conversation it was said in.

"And how long did that take?" says nothing by itself. The words that were just said help to find
what is meant, but count far less than the query's own, and not at all where it has enough.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.index.segment import WORD_WEIGHT, query_terms
from recollect.settings.recall import RecallSettings
from recollect.store.rows import QueryTerm

_ENOUGH = 6  # telling words of a query that needs no help
_WEIGHT = 0.15  # what a word of the turns before counts beside one of the query
_MOST = 16  # words that are added, the latest first


def enriched_terms(query: str, around: Sequence[str], settings: RecallSettings) -> list[QueryTerm]:
    """The terms to search for, the query's own first."""
    own = query_terms(query)
    telling = sum(term.weight >= WORD_WEIGHT for term in own)
    if telling >= _ENOUGH or not around:
        return own
    known = {term.text for term in own}
    added: dict[str, QueryTerm] = {}
    for text in reversed(around[-settings.enrich_turns :]):
        for term in query_terms(text):
            if term.weight >= WORD_WEIGHT and term.text not in known:
                lighter = QueryTerm(term.text, term.weight * _WEIGHT)
                added.setdefault(term.text, lighter)
    return [*own, *list(added.values())[:_MOST]]
