"""Whose words a statement is made of, whatever a model says it stands on.

The word of the owner's own turn counts. A statement that cites it is the owner's if its words are
found there or are other words for it, and none of them comes from a tool or a stranger alone: a
page that a tool has read can tell a model to put its own wishes down as the user's. What steers the
agent must also mean what the owner meant, with every limit they gave.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import takewhile
from math import nextafter

from mnemic.index.segment import STOP_WEIGHT, query_terms
from mnemic.language.extract import extract
from mnemic.language.numerals import number
from mnemic.language.tasks import is_statement
from mnemic.language.truncation import two_ends
from mnemic.language.voice import VoiceJudge, has_quoted, own_voice, read_quoted
from mnemic.learn.wording import contents, is_light, pattern, wording_of
from mnemic.patterns import defer
from mnemic.rules.reconcile import STEERING
from mnemic.rules.speakers import least_trusted
from mnemic.types import Candidate, Kind, Trust, Turn

Words = frozenset[str]
# An agent says back at length what its owner said in short, and is no stranger. So it has to have
# that many times the owner's words before the statement counts as the agent's.
_AGENT_SAYS_MORE = 2.0
_LEAST = 0.2  # of its words have to be the owner's
_TOLD = 2  # words of the owner, without which nothing was told that could be translated
_PASSING = ("session", "24h", "7d", "task", "transient")  # durations of what is not for good
_SAYS_LITTLE = 4  # words: "12 passed", a list of files
_AGENT_SAYS_IT = 0.5  # of the words of a translation
_READ = 20_000  # characters at either end of what a tool said
_SOON = timedelta(days=366)  # an end within that time is one
_NUMERAL = defer(r"[A-Za-z-]+|\d[\d.]*|[零一二两三四五六七八九十百千万半]+")
_QUESTION = defer(r"(?:^|(?<=[\n。！？!?.;；]))[^\n。！？!?.;；]*+[?？]")
_SENTENCES = defer(r"[^\n。！？!?.;；]+")
_HAN = defer("[\u3400-\u9fff]")
_LATIN = defer(r"[A-Za-z][\w.@/+-]*|\d[\d.]*")
_CLAUSE = defer(r"[,，:：]|\s[-–—]+\s|——")
# What has to be meant as the owner meant it.
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
    voices: VoiceJudge | None = None

    @cached_property
    def agent(self) -> Words:
        return _words("\n".join(turn.text for turn in self._by("agent")))

    @cached_property
    def external(self) -> Words:
        texts = [turn.text for turn in self._by("external")]
        quoted = [read_quoted(turn.text, self.voices) for turn in self._by("owner")]
        return _words("\n".join([*texts, *quoted]))

    @cached_property
    def tools(self) -> Words:
        texts: list[str] = [turn.text for turn in self._by("tool")]
        for turn in (*self.earlier, *self.turns):
            texts += [result.content for result in turn.tool_results]
        return _words("\n".join(end for text in texts for end in two_ends(text, _READ)))

    @cached_property
    def owner(self) -> Words:
        """What the owner states anywhere in their own voice."""
        return _words("\n".join(map(self._drop_questions, self._by("owner"))))

    @cached_property
    def heard(self) -> frozenset[Trust]:
        """Who is heard at all."""
        shown = (*self.earlier, *self.turns)
        trusts: set[Trust] = {turn.trust for turn in shown}
        if any(turn.tool_results for turn in shown):
            trusts.add("tool")
        if any(has_quoted(turn.text, self.voices) for turn in self._by("owner")):
            trusts.add("external")
        return frozenset(trusts)

    def list_statements(self, cited: Iterable[str], *, certain: bool = False) -> list[str]:
        """What the owner states or asks of the agent in their own voice in the turns cited; other
        questions state nothing but what is said in passing before them.
        """
        chosen = frozenset(cited)
        return [
            self._drop_questions(turn, certain=certain)
            for turn in self.turns
            if turn.id in chosen and turn.trust == "owner"
        ]

    def strangers(self, words: Words, least: float = 0.0) -> list[Trust]:
        """The tools and outsiders who say one of these words, or that share of them."""
        by_trust: dict[Trust, Words] = {"tool": self.tools, "external": self.external}
        return [
            trust
            for trust, spoken in by_trust.items()
            if words & spoken and _share(words, spoken) >= least
        ]

    def own(self, turn: Turn, *, certain: bool = False) -> str:
        """What the owner says in their own voice in a turn."""
        return own_voice(turn.text, certain=certain, judge=self.voices)

    def _drop_questions(self, turn: Turn, *, certain: bool = False) -> str:
        return _QUESTION.sub(_in_passing, self.own(turn, certain=certain))

    def _by(self, trust: Trust) -> list[Turn]:
        return [turn for turn in (*self.earlier, *self.turns) if turn.trust == trust]


def ground(candidate: Candidate, speakers: SpokenWords, core_importance: float) -> Candidate:
    """The candidate with the trust of those whose words it is made of; what an agent says does not
    reach the core of itself.
    """
    trust = _trust(candidate, speakers)
    if trust != "owner" and candidate.kind in _SIGNED:
        quote = _in_own_words(candidate, speakers)
        candidate, trust = (candidate, trust) if quote is None else (quote, "owner")
    importance = candidate.importance
    if trust == "agent" and importance is not None:
        importance = min(importance, nextafter(core_importance, 0.0))
    return replace(candidate, trust=trust, importance=importance)


def _in_own_words(candidate: Candidate, speakers: SpokenWords) -> Candidate | None:
    """What the owner said where a model's words for it cannot be taken for theirs: the statement of
    the same kind that the rules read in the turns cited, if there is one about the same.
    """
    if candidate.trust in _STRANGERS:
        return None
    cited, about = frozenset(candidate.sources), _words(candidate.text)
    statements = [
        statement
        for turn in speakers.turns
        if turn.id in cited and turn.trust == "owner"
        for statement in extract(speakers.own(turn, certain=True), said_at=turn.at)
        if statement.kind == candidate.kind and not statement.withdraws
    ]
    best = max(statements, key=lambda statement: len(about & _words(statement.text)), default=None)
    if best is None or len(about & _words(best.text)) < _TOLD:
        return None
    return replace(
        candidate,
        text=best.text,
        subject=best.subject,
        predicate=best.predicate,
        value=best.value,
        duration=best.duration,
        valid_from=best.valid_from,
        valid_to=best.valid_to,
        trust="owner",
    )


def _trust(candidate: Candidate, speakers: SpokenWords) -> Trust:
    if candidate.trust in _STRANGERS:
        return candidate.trust
    stated = speakers.list_statements(candidate.sources)
    text = f"{candidate.text}\n{candidate.value}"
    words, spoken = _words(text), _words("\n".join(stated))
    # "Next Wednesday" is written as a date, which nobody said.
    undated = _words(pattern("date").sub(" ", text)) or words
    share = _share(contents(pattern("date").sub(" ", text)), contents("\n".join(stated)))
    trust: Trust = "owner" if stated else candidate.trust
    steers = candidate.kind in STEERING
    if stated and not steers and _is_translation(undated, words, stated, speakers):
        return trust
    taken = speakers.strangers(_words(pattern("bare").sub(" ", text)) - spoken - speakers.owner)
    if steers and _has_new_name(candidate.text, stated):
        taken += speakers.heard & _STRANGERS
    if candidate.kind != "rule" and not pattern("of_oneself").search("\n".join(stated)):
        taken += speakers.strangers(words, _LEAST)
    if stated and not taken and not _is_faithful(candidate, speakers):
        taken.append("agent")
        if candidate.kind in _SIGNED:
            taken += speakers.heard & _STRANGERS
    if share < _LEAST and not taken:
        # The owner's in words that are all the model's, or what somebody said in code.
        taken += ["agent"] if _tells(stated) else speakers.heard
        if _in_one_script(candidate.text, stated):
            taken.append("agent")
    if _share(words, speakers.agent) > _AGENT_SAYS_MORE * share:
        taken.append("agent")
    return least_trusted([trust, *taken])


def _is_faithful(candidate: Candidate, speakers: SpokenWords) -> bool:
    """Whether a statement means what the owner meant. What steers the agent has to stand on words
    that are certainly the owner's, in their own language, and a rule keeps their limits.
    """
    text, steers = candidate.text, candidate.kind in STEERING
    stated = speakers.list_statements(candidate.sources)
    wording = wording_of(stated)
    if candidate.kind not in _SIGNED:
        return wording.is_meant(text)
    if steers:
        certain = wording_of(speakers.list_statements(candidate.sources, certain=True))
        if not certain.supports(text) or not _in_one_script(text, stated):
            return False
    if wording.contradicts(text) or not wording.is_own_will(text, rule=candidate.kind == "rule"):
        return False
    if candidate.kind != "rule":
        return not steers or wording.keeps_conditions(text)
    said_at = max(turn.at for turn in speakers.turns)
    end = candidate.valid_to
    soon = isinstance(end, datetime) and end - said_at < _SOON
    ends = soon or candidate.duration in _PASSING
    return wording.keeps_limits(text, ends=ends)


def _has_new_name(content: str, stated: Sequence[str]) -> bool:
    """Whether it has a name or a figure that the owner does not say: neither can be reworded."""
    in_chinese = _HAN.search(content)
    names = _LATIN.findall(content) if in_chinese else pattern("hard").findall(content)
    text = "\n".join(stated)
    words, figures = _words(text), {number(token) for token in _NUMERAL.findall(text)}
    return any(
        not _words(name) <= words and (number(name) is None or number(name) not in figures)
        for name in names
    )


def _is_translation(
    undated: Words, words: Words, stated: Sequence[str], speakers: SpokenWords
) -> bool:
    """Whether a statement in another script than the owner's can only be what they said: its names
    and figures are theirs, the agent does not say it, and nobody else says enough to be translated.
    """
    spoken = _words("\n".join(stated))
    others = speakers.tools | speakers.external
    if len(spoken) < _TOLD or not words.isdisjoint(others - spoken) or len(others) > _SAYS_LITTLE:
        return False
    if _in_one_script(" ".join(words), stated) or (
        speakers.heard & _STRANGERS and not _tells(stated)
    ):
        return False
    is_chinese = any(_HAN.search(word) for word in words)
    names = {word for word in undated if word.isascii()} if is_chinese else set[str]()
    return names <= spoken and _share(words - spoken, speakers.agent) < _AGENT_SAYS_IT


def _tells(stated: Sequence[str]) -> bool:
    """Whether somebody tells something; who only asks for something to be done has told nothing."""
    return any(is_statement(sentence) for text in stated for sentence in _SENTENCES.findall(text))


def words_shared(text: str, spoken: str) -> int:
    """How many words of a text somebody said."""
    return len(_words(text) & _words(spoken))


def _in_one_script(content: str, stated: Sequence[str]) -> bool:
    """Whether both are in Chinese or neither is, so that words can be compared."""
    spoken = "".join(stated).strip()
    is_chinese = [bool(_HAN.search(text)) for text in (content, spoken)]
    return bool(spoken) and is_chinese[0] == is_chinese[1]


def _in_passing(question: re.Match[str]) -> str:
    """What a question states: all of it where it asks the agent for something ("can you stop …?"),
    else the clauses before it is asked: "I'm vegan, what can I cook?".
    """
    if pattern("asked_of_agent").match(question[0]):
        return question[0]
    *clauses, asked = _CLAUSE.split(question[0])
    if pattern("tag").fullmatch(asked):
        return " "
    stated = takewhile(lambda clause: not pattern("asks_from_here").match(clause), clauses)
    return ", ".join(stated) + ". "


def _share(words: Iterable[str], spoken: Iterable[str]) -> float:
    """The part of the words that somebody said."""
    unique = frozenset(words)
    return len(unique & frozenset(spoken)) / len(unique) if unique else 0.0


def _words(text: str) -> Words:
    terms = {term.text for term in query_terms(text) if term.weight > STOP_WEIGHT}
    return frozenset(term for term in terms - _ABOUT_THE_OWNER if not is_light(term))
