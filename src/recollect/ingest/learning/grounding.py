"""Whose words a statement is made of, whatever a model says it stands on.

A page that a tool has read can tell a model to put its own wishes down as the user's. So a
statement keeps the owner's trust only if it is made of what the owner said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from recollect.index.segment import STOP_WEIGHT, query_terms
from recollect.rules.trust import least_trusted
from recollect.types import Candidate, Trust, Turn


def grounded(candidate: Candidate, turns: Sequence[Turn]) -> Candidate:
    """The candidate with the trust of those whose words it has more of."""
    if candidate.trust in ("tool", "external"):
        return candidate
    cited = frozenset(candidate.sources)
    said = _words(f"{candidate.content}\n{candidate.value}")
    own = _share(said, (turn.content for turn in turns if turn.id in cited))
    foreign = {trust: _share(said, texts) for trust, texts in _foreign(turns).items() if texts}
    taken = [trust for trust, share in foreign.items() if share > own]
    if not taken:
        return candidate
    return replace(candidate, trust=least_trusted([candidate.trust, *taken]))


def _foreign(turns: Sequence[Turn]) -> dict[Trust, list[str]]:
    """What neither the owner nor the agent said."""
    texts: dict[Trust, list[str]] = {"tool": [], "external": []}
    for turn in turns:
        if turn.trust in texts:
            texts[turn.trust].append(turn.content)
        texts["tool"] += [result.content for result in turn.tool_results]
    return texts


def _share(words: frozenset[str], texts: Iterable[str]) -> float:
    """The part of the words that the texts have."""
    if not words:
        return 0.0
    return len(words & _words("\n".join(texts))) / len(words)


def _words(text: str) -> frozenset[str]:
    return frozenset(term.text for term in query_terms(text) if term.weight > STOP_WEIGHT)
