"""A memory in the words of the preset's document, and what such words ask for."""

from __future__ import annotations

from datetime import timedelta

from mnemic.rules.tiers import priority_of
from mnemic.settings import Settings
from mnemic.settings.upkeep import LifetimeSettings
from mnemic.types import Hit, Memory

_LEAST = timedelta.resolution


def words_of(record: Memory | Hit, settings: Settings) -> dict[str, str]:
    """The document's names for what a memory is, else its kind, each with its word."""
    words = settings.vocabulary
    if record.kind is None:
        return {}
    terms = {words.kinds.name: words.kinds.word_of(record.kind, record.metadata)}
    if words.scopes:
        terms = {words.scopes.name: words.scopes.word_of(record.kind, record.metadata), **terms}
    if isinstance(record, Hit):
        return terms
    if words.priorities:
        priority = priority_of(record, settings.lifetimes)
        terms[words.priorities.name] = words.priorities.show(priority)
    if words.origins:
        terms[words.origins.name] = words.origins.show(record.origin)
    return terms


def span_of_priority(
    priority: str, lifetimes: LifetimeSettings
) -> tuple[timedelta | None, timedelta | None]:
    """The lives of a priority: longer than the first, at most the second; never is None twice."""
    transient = lifetimes.transient or timedelta(0)
    longest_short = (lifetimes.long_term or timedelta.max) - _LEAST
    spans: dict[str, tuple[timedelta | None, timedelta | None]] = {
        "transient": (-timedelta(days=10_000_000), transient),
        "short_term": (transient, longest_short),
        "long_term": (longest_short, None),
        "permanent": (None, None),
    }
    return spans[priority]
