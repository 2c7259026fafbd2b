"""Whose words a statement is made of, whatever a model says it stands on.

A page that a tool has read can tell a model to put its own wishes down as the user's. So a
statement has the owner's trust only if it is made of what the owner said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import nextafter

from recollect.index.segment import STOP_WEIGHT, query_terms
from recollect.rules.gate_code import compiled
from recollect.rules.trust import least_trusted
from recollect.types import Candidate, Trust, Turn

# An agent says back at length what its owner said in short, and is no stranger. So it has to have
# that many times the owner's words before the statement counts as the agent's.
_AGENT_SAYS_MORE = 2.0
_NEARLY_ALL = 0.75  # of its words are the owner's: it is the owner's, whoever else says it
_LEAST = 0.2  # of its words have to be the owner's where somebody else is heard, too
_QUESTION = r"[^\n。！？!?.;；]*[?？]"
_ABOUT_THE_OWNER = frozenset({"user", "users", "user's", "用户"})


def grounded(
    candidate: Candidate, turns: Sequence[Turn], earlier: Sequence[Turn], core_importance: float
) -> Candidate:
    """The candidate with the trust of those whose words it has more of.

    ``turns`` are those it may stand on, ``earlier`` ones were only shown beside them. What an agent
    says does not reach the core of itself.
    """
    trust = _trust(candidate, turns, earlier)
    importance = candidate.importance
    if trust == "agent" and importance is not None:
        importance = min(importance, nextafter(core_importance, 0.0))
    return replace(candidate, trust=trust, importance=importance)


def _trust(candidate: Candidate, turns: Sequence[Turn], earlier: Sequence[Turn]) -> Trust:
    if candidate.trust in ("tool", "external"):
        return candidate.trust
    words = _words(f"{candidate.content}\n{candidate.value}")
    cited = frozenset(candidate.sources)
    shown = (*earlier, *turns)
    owners = [turn for turn in turns if turn.id in cited and turn.trust == "owner"]
    own = _share(words, (compiled(_QUESTION).sub(" ", turn.content) for turn in owners))
    trust: Trust = "owner" if owners else candidate.trust
    if own >= _NEARLY_ALL:
        return trust
    taken: list[Trust] = []
    if _share(words, (t.content for t in shown if t.trust == "agent")) > _AGENT_SAYS_MORE * own:
        taken.append("agent")
    if _share(words, _said_by_tools(shown)) >= max(own, _LEAST):
        taken.append("tool")
    if _share(words, (t.content for t in shown if t.trust == "external")) >= max(own, _LEAST):
        taken.append("external")
    if own < _LEAST:  # it may be in code, or in another language
        taken += [turn.trust for turn in shown]
        taken += ["tool" for turn in shown if turn.tool_results]
    return least_trusted([trust, *taken])


def _said_by_tools(turns: Sequence[Turn]) -> list[str]:
    said = [turn.content for turn in turns if turn.trust == "tool"]
    return said + [result.content for turn in turns for result in turn.tool_results]


def _share(words: frozenset[str], texts: Iterable[str]) -> float:
    """The part of the words that the texts have."""
    if not words:
        return 0.0
    return len(words & _words("\n".join(texts))) / len(words)


def _words(text: str) -> frozenset[str]:
    found = {term.text for term in query_terms(text) if term.weight > STOP_WEIGHT}
    return frozenset(found - _ABOUT_THE_OWNER)
