"""Whose words a statement is made of, whatever a model says it stands on.

A page that a tool has read can tell a model to put its own wishes down as the user's. So a
statement has the owner's trust only if it is made of what the owner said in their own voice, and
what steers the agent only if it does not turn around what they said; with a tool or a stranger in
sight it has to be the owner's wording.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from math import nextafter

from mnemic.index.segment import STOP_WEIGHT, query_terms
from mnemic.language.code import compiled
from mnemic.language.statements import is_statement
from mnemic.language.truncation import two_ends
from mnemic.language.voice import has_quoted, own_voice, quoted_voice
from mnemic.learn.wording import Wording, wording_of
from mnemic.rules.reconcile import STEERING
from mnemic.rules.speakers import least_trusted
from mnemic.types import Candidate, Kind, Trust, Turn

Words = frozenset[str]
# An agent says back at length what its owner said in short, and is no stranger. So it has to have
# that many times the owner's words before the statement counts as the agent's.
_AGENT_SAYS_MORE = 2.0
_NEARLY_ALL = 0.75  # of its words are the owner's: it is the owner's, whoever else says it
_LEAST = 0.2  # of its words have to be the owner's where somebody else is heard, too
_TOLD = 2  # words of the owner, without which nothing was told that could be translated
_SAYS_LITTLE = 5  # words: "12 passed", a list of files
_AGENT_SAYS_IT = 0.5  # of the words of a translation
_DATE = r"\d{4}(?:[-/.年]\d{1,2}){1,2}[日月]?|\d{1,2}月\d{1,2}日|\d{1,2}:\d{2}"
_READ = 20_000  # characters at either end of what a tool said
_QUESTION = r"(?:^|(?<=[\n。！？!?.;；]))[^\n。！？!?.;；]*+[?？]"
_SENTENCES = r"[^\n。！？!?.;；]+"
_HAN = "[\u3400-\u9fff]"
_CLAUSE = r"[,，:：]|\s[-–—]+\s|——"
# From here on a sentence asks or supposes; where it asks for a "yes", all of it is the question.
_ASKS = (
    r"(?i)\s*(?:(?:and|but|so|or|please|tell me)\s+)*"
    r"(?:who|whom|whose|what|when|where|which|why|how|should|shall|can|could|would|will|won't|may"
    r"|might|must|do|does|did|don't|doesn't|is|isn't|are|aren't|am|was|were|has|have|had|if|whether"
    r"|suppose|imagine|assuming)\b"
    r"|.*(?:吗|呢|什么|怎么|怎样|如何|为何|哪|谁|几|多少|是不是|要不要|能不能|能否|可否|可不可以"
    r"|有没有|该不该|会不会|是否|如果|要是|假如|假设|万一)"
)
_TAG = (
    r"(?i)\s*(?:right|correct|ok|okay|yes|no|agreed|(?:is|are|do|does|did|was|were|will|should)n't"
    r" \w+|对(?:吗|吧|不对)?|是(?:吗|吧|不是)|不是吗|好(?:吗|吧|不好)|行(?:吗|吧|不行))\s*[?？]"
)
# What must not say the opposite of what the owner said.
_SIGNED: tuple[Kind, ...] = (*STEERING, "preference")
_STRANGERS: frozenset[Trust] = frozenset({"tool", "external"})
_ABOUT_THE_OWNER = frozenset({"user", "users", "user's", "用户"})


@dataclass(frozen=True)
class SpokenWords:
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
        texts = [turn.content for turn in self._by("external")]
        return _words("\n".join([*texts, *self._quoted]))

    @cached_property
    def tools(self) -> Words:
        texts: list[str] = [turn.content for turn in self._by("tool")]
        for turn in (*self.earlier, *self.turns):
            texts += [result.content for result in turn.tool_results]
        return _words("\n".join(end for text in texts for end in two_ends(text, _READ)))

    @cached_property
    def heard(self) -> frozenset[Trust]:
        """Who is heard at all."""
        shown = (*self.earlier, *self.turns)
        trusts: set[Trust] = {turn.trust for turn in shown}
        if any(turn.tool_results for turn in shown):
            trusts.add("tool")
        if any(has_quoted(turn.content) for turn in self._by("owner")):
            trusts.add("external")
        return frozenset(trusts)

    def stated(self, cited: Iterable[str]) -> list[str]:
        """What the owner states in their own voice in the turns cited; questions state nothing but
        what is said in passing before them.
        """
        return [
            compiled(_QUESTION).sub(_in_passing, own_voice(turn.content))
            for turn in self.owners(cited)
        ]

    @cached_property
    def _quoted(self) -> list[str]:
        """What the owner pasted, quoted, forwarded or attached: somebody else's words."""
        return [quoted for turn in self._by("owner") if (quoted := quoted_voice(turn.content))]

    def _by(self, trust: Trust) -> list[Turn]:
        return [turn for turn in (*self.earlier, *self.turns) if turn.trust == trust]


def grounded(candidate: Candidate, speakers: SpokenWords, core_importance: float) -> Candidate:
    """The candidate with the trust of those whose words it has more of; what an agent says does
    not reach the core of itself.
    """
    trust = _trust(candidate, speakers)
    importance = candidate.importance
    if trust == "agent" and importance is not None:
        importance = min(importance, nextafter(core_importance, 0.0))
    return replace(candidate, trust=trust, importance=importance)


def grounded_in_summary(
    candidate: Candidate, speakers: SpokenWords, core_importance: float
) -> Candidate:
    """The same of what a model made of summaries, in which anybody's words may be: what steers the
    agent has to be the owner's wording.
    """
    grounded_candidate = grounded(candidate, speakers, core_importance)
    if grounded_candidate.kind not in STEERING or grounded_candidate.trust != "owner":
        return grounded_candidate
    own = _is_own(grounded_candidate, wording_of(speakers.stated(grounded_candidate.sources)))
    return grounded_candidate if own else replace(grounded_candidate, trust="agent")


def _trust(candidate: Candidate, speakers: SpokenWords) -> Trust:
    if candidate.trust in ("tool", "external"):
        return candidate.trust
    text = f"{candidate.content}\n{candidate.value}"
    words = _words(text)
    stated = speakers.stated(candidate.sources)
    said = _words("\n".join(stated))
    # "Next Wednesday" is written as a date, which nobody said.
    undated = _words(compiled(_DATE).sub(" ", text)) or words
    own = _share(undated, said)
    trust: Trust = "owner" if stated else candidate.trust
    if trust == "owner" and candidate.kind not in STEERING and len(said) >= _TOLD:
        other_script = not _in_one_script(candidate.content, stated)
        may_be_told = _tells(stated) or not speakers.heard & _STRANGERS
        if other_script and may_be_told and _is_translation(undated, words, said, speakers):
            return trust
    if candidate.kind not in STEERING and _is_reworded_statement(words - said, stated, speakers):
        # The owner's, or where it has few of their words the model's: the tool has no part in it.
        return least_trusted([trust, "agent"]) if own < _LEAST else trust
    taken: list[Trust] = []
    if trust == "owner" and _is_reworded(candidate, wording_of(stated), speakers):
        taken += ["agent", *(speakers.heard & _STRANGERS)]
    if own >= _NEARLY_ALL:
        return least_trusted([trust, *taken])
    if _share(words, speakers.agent) > _AGENT_SAYS_MORE * own:
        taken.append("agent")
    if _share(words, speakers.tools) >= max(own, _LEAST):
        taken.append("tool")
    if _share(words, speakers.external) >= max(own, _LEAST):
        taken.append("external")
    if own < _LEAST:  # it may be in code, or in another language
        taken += speakers.heard
    if not own and _in_one_script(candidate.content, stated):
        taken.append("agent")  # a conclusion, or made up
    return least_trusted([trust, *taken])


def _is_translation(undated: Words, words: Words, said: Words, speakers: SpokenWords) -> bool:
    """Whether a statement in another script than the owner's can only be what they said: its names
    and figures are theirs, the agent does not say it, and nobody else says enough to be translated.
    """
    others = speakers.tools | speakers.external
    if not words.isdisjoint(others - said) or len(others) > _SAYS_LITTLE:
        return False
    is_chinese = any(compiled(_HAN).search(word) for word in words)
    names = {word for word in undated if word.isascii()} if is_chinese else set[str]()
    return names <= said and _share(words - said, speakers.agent) < _AGENT_SAYS_IT


def _is_reworded_statement(added: Words, stated: Sequence[str], speakers: SpokenWords) -> bool:
    """Whether the owner tells something in the turns cited, and no word was added to theirs that a
    tool or a stranger says. Who only asks for something to be done has told nothing.
    """
    if not speakers.heard & _STRANGERS or not added.isdisjoint(speakers.tools | speakers.external):
        return False
    return _tells(stated)


def _tells(stated: Sequence[str]) -> bool:
    return any(
        is_statement(sentence) for text in stated for sentence in compiled(_SENTENCES).findall(text)
    )


def _is_reworded(candidate: Candidate, wording: Wording, speakers: SpokenWords) -> bool:
    """Whether what steers the agent says the opposite of the owner's words or, where a tool or a
    stranger could have had a hand in it, says it in other words than the owner's.
    """
    if candidate.kind not in _SIGNED:
        return False
    if wording.contradicts(candidate.content):
        return True
    if candidate.kind not in STEERING or not speakers.heard & _STRANGERS:
        return False
    value = _words(candidate.value)
    foreign = bool(value) and _share(value, wording.words) < _NEARLY_ALL
    return foreign or not _is_own(candidate, wording)


def _is_own(candidate: Candidate, wording: Wording) -> bool:
    """A rule has to say all of what the owner said, conditions included; who somebody is may be one
    of several things said in a clause.
    """
    return wording.is_own(candidate.content, whole=candidate.kind == "rule")


def words_shared(text: str, spoken: str) -> int:
    """How many words of a text somebody said."""
    return len(_words(text) & _words(spoken))


def _in_one_script(content: str, stated: Sequence[str]) -> bool:
    """Whether both are in Chinese or neither is, so that words can be compared."""
    said = "".join(stated).strip()
    return bool(said) and bool(compiled(_HAN).search(content)) == bool(compiled(_HAN).search(said))


def _in_passing(question: re.Match[str]) -> str:
    """The clauses of a question that come before it is asked: "I'm vegan, what can I cook?"."""
    *clauses, asked = compiled(_CLAUSE).split(question[0])
    if compiled(_TAG).fullmatch(asked):
        return " "
    stated = takewhile(lambda clause: not compiled(_ASKS).match(clause), clauses)
    return ", ".join(stated) + ". "


def _share(words: Words, spoken: Words) -> float:
    """The part of the words that somebody said."""
    return len(words & spoken) / len(words) if words else 0.0


def _words(text: str) -> Words:
    terms = {term.text for term in query_terms(text) if term.weight > STOP_WEIGHT}
    return frozenset(terms - _ABOUT_THE_OWNER)
