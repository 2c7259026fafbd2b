"""Whose words a statement is made of, whatever a model says it stands on.

A page that a tool has read can tell a model to put its own wishes down as the user's. So a
statement has the owner's trust only if it is made of what the owner said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nextafter

from recollect.index.segment import STOP_WEIGHT, query_terms
from recollect.rules.gate_code import compiled
from recollect.rules.trust import least_trusted
from recollect.types import Candidate, Trust, Turn

Words = frozenset[str]
# An agent says back at length what its owner said in short, and is no stranger. So it has to have
# that many times the owner's words before the statement counts as the agent's.
_AGENT_SAYS_MORE = 2.0
_NEARLY_ALL = 0.75  # of its words are the owner's: it is the owner's, whoever else says it
_LEAST = 0.2  # of its words have to be the owner's where somebody else is heard, too
_READ = 20_000  # characters at either end of what a tool said
_QUESTION = r"(?:^|(?<=[\n。！？!?.;；]))[^\n。！？!?.;；]*+[?？]"
_ABOUT_THE_OWNER = frozenset({"user", "users", "user's", "用户"})


@dataclass(frozen=True)
class Voices:
    """What everybody says in a stretch of conversation, as words.

    A candidate may stand on ``turns``; ``earlier`` ones were only shown beside them.
    """

    turns: Sequence[Turn]
    earlier: Sequence[Turn]

    def owners(self, cited: Iterable[str]) -> list[Turn]:
        """The owner's turns among those cited."""
        chosen = frozenset(cited)
        return [turn for turn in self.turns if turn.id in chosen and turn.trust == "owner"]

    @cached_property
    def agent(self) -> Words:
        return _words("\n".join(turn.content for turn in self._by("agent")))

    @cached_property
    def external(self) -> Words:
        return _words("\n".join(turn.content for turn in self._by("external")))

    @cached_property
    def tools(self) -> Words:
        said: list[str] = [turn.content for turn in self._by("tool")]
        for turn in (*self.earlier, *self.turns):
            said += [result.content for result in turn.tool_results]
        return _words("\n".join(f"{text[:_READ]}\n{text[_READ:][-_READ:]}" for text in said))

    @cached_property
    def heard(self) -> frozenset[Trust]:
        """Who is heard at all."""
        shown = (*self.earlier, *self.turns)
        trusts: set[Trust] = {turn.trust for turn in shown}
        return frozenset(trusts | ({"tool"} if any(t.tool_results for t in shown) else set()))

    def _by(self, trust: Trust) -> list[Turn]:
        return [turn for turn in (*self.earlier, *self.turns) if turn.trust == trust]


def grounded(candidate: Candidate, voices: Voices, core_importance: float) -> Candidate:
    """The candidate with the trust of those whose words it has more of; what an agent says does
    not reach the core of itself.
    """
    trust = _trust(candidate, voices)
    importance = candidate.importance
    if trust == "agent" and importance is not None:
        importance = min(importance, nextafter(core_importance, 0.0))
    return replace(candidate, trust=trust, importance=importance)


def _trust(candidate: Candidate, voices: Voices) -> Trust:
    if candidate.trust in ("tool", "external"):
        return candidate.trust
    words = _words(f"{candidate.content}\n{candidate.value}")
    owners = voices.owners(candidate.sources)
    stated = (compiled(_QUESTION).sub(" ", turn.content) for turn in owners)
    own = _share(words, _words("\n".join(stated)))
    trust: Trust = "owner" if owners else candidate.trust
    if own >= _NEARLY_ALL:
        return trust
    taken: list[Trust] = []
    if _share(words, voices.agent) > _AGENT_SAYS_MORE * own:
        taken.append("agent")
    if _share(words, voices.tools) >= max(own, _LEAST):
        taken.append("tool")
    if _share(words, voices.external) >= max(own, _LEAST):
        taken.append("external")
    if own < _LEAST:  # it may be in code, or in another language
        taken += voices.heard
    return least_trusted([trust, *taken])


def _share(words: Words, said: Words) -> float:
    """The part of the words that somebody said."""
    return len(words & said) / len(words) if words else 0.0


def _words(text: str) -> Words:
    found = {term.text for term in query_terms(text) if term.weight > STOP_WEIGHT}
    return frozenset(found - _ABOUT_THE_OWNER)
