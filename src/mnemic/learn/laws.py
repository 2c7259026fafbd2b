"""The laws of learning: the step between a proposal and a memory, one for every proposer.

Patterns, a model, an import and a tool propose; here it is decided what a proposal may become. A
value has to be of its slot's type, a rule has to be an instruction, a memory says one thing in
words of its own, and a slot with one answer changes only by a sign of change, by a repetition in
another session or by a person. What was called off or moved is found among what is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from math import nextafter

from mnemic.index.segment import STOP_WEIGHT, query_terms
from mnemic.language.dates.reader import find_times
from mnemic.language.extract import extract
from mnemic.language.extract.dates import NO_SLOT, dated
from mnemic.language.extract.languages import Patterns, built_in
from mnemic.language.extract.sentences import Splitter
from mnemic.language.extract.traps import Instructions, Traps
from mnemic.language.extract.wording import undated, word_alone
from mnemic.language.value_types import fits
from mnemic.language.voice import own_voice
from mnemic.rules import checks
from mnemic.rules.importance import RULES_CONFIDENCE
from mnemic.rules.likeness import plain_words, values_touch
from mnemic.rules.slots import fold, has_one_answer, predicate_of, subject_of, value_type
from mnemic.rules.support import rank
from mnemic.store.contract import Unit
from mnemic.store.rows import MemoryFilter, Scope
from mnemic.types import (
    EMPTY,
    Candidate,
    Memory,
    SafeCandidate,
    Trust,
    Turn,
    constant,
    key_of,
    stamp,
)

# Slots whose answer is of one time: another one is no contradiction but the next state.
_PASSING = frozenset({"deadline", "schedule", "location", "status", "path", "port"})
_PLANNED = frozenset({"schedule", "deadline", "appointment", "trip", "plan", "event"})
_GROWING = frozenset({"age", "version"})
_FIGURES = re.compile(r"\d+")
_NEAR = 12  # memories that a denial is held against
_PLANS = 200
_ANY_TIME = datetime(2001, 1, 1, tzinfo=UTC)
_BEFORE = re.compile(r"(?i)\b(?:instead of|rather than|from)\b(?!.*\bto\b)|而不是|原定|原来")
_SENTENCE_ENDS = re.compile(r"(?<=[。！？!?;；\n])|(?<=[.])\s+")


class _Reader:
    """What the laws read out of texts, by the phrases of the languages."""

    def __init__(self, patterns: Patterns) -> None:
        self.instructions = Instructions(patterns.phrases)
        self.splitter, self.traps = Splitter(patterns.phrases), Traps(patterns.phrases)
        self.change = patterns.phrases("change_sign")
        self.denial, self.ended = patterns.phrases("denial"), patterns.phrases("ending")
        self.final, self.own = patterns.phrases("final_denial"), patterns.phrases("first_person")
        self.auxiliary = re.compile(r"(?i)\b(?:do|does|did|is|are|am|was|i|we|really)\b|[我了]")
        self.moved, self.off = patterns.phrases("plan_moved"), patterns.phrases("plan_off")

    def stated(self, text: str) -> Iterator[str]:
        """The sentences of a text that state something, as they were said."""
        for sentence in self.splitter.sentences(text):
            if self.traps.opens_play(sentence.text):
                return
            stated = self.traps.stated(sentence.text, sentence.clauses)
            if stated and not self.traps.not_meant(sentence.text):
                yield ", ".join(stated) if len(stated) < len(sentence.clauses) else sentence.text

    def without_signs(self, sentence: str) -> str:
        """A sentence without the words that deny or end something."""
        for sign in (self.final, self.denial, self.auxiliary):
            sentence = sign.sub(" ", sentence)
        return sentence


@cache
def _reader() -> _Reader:
    return _Reader(built_in())


# --- what a proposal may become ------------------------------------------------------------------


def judge(candidate: SafeCandidate, core_importance: float) -> SafeCandidate:
    """A proposal as it may be kept: as it is, or without its slot where its value is not of the
    slot's type or it is a rule that instructs nobody. Such a one is recalled, ends nothing and
    stays below the core.
    """
    fault = fault_of(candidate)
    if not fault or candidate.withdraws or candidate.asked:
        return candidate
    importance = candidate.importance
    below = nextafter(core_importance, 0.0)
    return replace(
        candidate,
        kind="fact",
        subject=EMPTY,
        predicate=EMPTY,
        value=EMPTY,
        importance=below if importance is None else min(importance, below),
        is_update=False,
    )


def kind_read(text: str) -> str:
    """The kind of a statement that somebody gives without one."""
    kinds = {one.kind for one in extract(text, said_at=_ANY_TIME) if not one.withdraws}
    return kinds.pop() if len(kinds) == 1 else "fact"


def fault_of(statement: Candidate | Memory) -> str:
    """What is wrong with a statement by its slot: "value", "rule", or nothing."""
    if statement.kind == "rule":
        return "" if _reader().instructions.may_be(statement.text) else "rule"
    type_ = value_type(statement.predicate)
    if type_ == "instruction" or not statement.value or statement.kind == "credential":
        return ""
    return "" if fits(type_, statement.value) else "value"


def same_texts(memories: Iterable[Memory]) -> Iterator[tuple[Memory, Memory]]:
    """Memories that say word for word what an earlier one says, each with that one."""
    seen: dict[tuple[str, str, str], Memory] = {}
    for memory in sorted(memories, key=lambda memory: (memory.created_at, memory.id)):
        key = (memory.project, subject_of(memory.subject), plain_words(memory.text))
        first = seen.setdefault(key, memory)
        if first is not memory:
            yield memory, first


def archive_misread(unit: Unit, now: datetime) -> int:
    """Put away what was learned from talk and misread; ``restore`` brings one back."""
    wanted = MemoryFilter(status="active", limit=checks.MAX_ROWS)
    learned = [m for m in unit.memories.find(wanted) if m.origin == "extraction"]
    misread = [memory for memory in learned if fault_of(memory)]
    for memory in misread:
        unit.memories.revise(replace(memory, status="archived", updated_at=now))
        unit.journal.add_event(
            "archive",
            operation_id=key_of("misread", memory.id, stamp(now)),
            subject=memory.id,
            payload={"reason": constant("its value is not of its slot's type, or no instruction")},
            at=now,
        )
    return len(misread)


# --- when an answer changes ----------------------------------------------------------------------


def may_change(
    candidate: Candidate, trust: Trust, known: Sequence[Memory], turns: Sequence[Turn]
) -> bool:
    """Whether a statement may take the place of the answers known: it is worded as a change or a
    correction, was asked to be kept, or comes from a better source.
    """
    predicate = predicate_of(candidate.predicate)
    passing = predicate in _PASSING or not has_one_answer(predicate)
    if candidate.is_update or candidate.asked or passing:
        return True
    if all(rank(trust) > rank(memory.trust) for memory in known) or not turns:
        return True  # what a host proposes out of no talk is weighed by recency and repetition
    if all(values_touch(candidate.value, memory.value) for memory in known):
        return True  # Lisbon, and Lisbon near the Alfama
    grows = predicate in _GROWING or predicate.endswith("version")
    if grows and all(_is_more(candidate.value, memory.value) for memory in known):
        return True
    return names_change(candidate, turns)


def names_change(candidate: Candidate, turns: Sequence[Turn]) -> bool:
    """Whether the answer to a question with one is worded as a change or a correction."""
    return has_one_answer(candidate.predicate) and says_change(candidate, turns)


def says_change(candidate: Candidate, turns: Sequence[Turn]) -> bool:
    """Whether a statement is worded as a change or a correction."""
    return any(_reader().change.search(text) for text in _around(candidate, turns))


def _around(candidate: Candidate, turns: Sequence[Turn]) -> list[str]:
    """The statement, and the sentences that say its value; all of them where it was reworded."""
    sentences = [part for turn in turns for part in _SENTENCE_ENDS.split(turn.text)]
    value = fold(candidate.value)
    saying = [sentence for sentence in sentences if value and value in fold(sentence)]
    return [candidate.text, *(saying or sentences)]


def said_elsewhere(waiting: Iterable[Memory], turns: Sequence[Turn]) -> bool:
    """Whether what waits was said in another session than these turns."""
    here = {turn.session for turn in turns}
    return any(source.session not in here for memory in waiting for source in memory.sources)


def _is_more(value: str, before: str) -> bool:
    new, old = ([int(figure) for figure in _FIGURES.findall(text)] for text in (value, before))
    return bool(new) and bool(old) and new > old


# --- a batch of proposals ------------------------------------------------------------------------


def settle_wording(candidates: Sequence[Candidate]) -> list[Candidate]:
    """One memory, one statement: those with one text each get the words of their own part, and one
    fact proposed under several subjects is kept once.
    """
    unique: list[Candidate] = []
    for candidate in candidates:
        if not any(_one_fact(candidate, other) for other in unique):
            unique.append(candidate)
    texts = [undated(candidate.text) for candidate in unique]
    return [
        one if one.withdraws or texts.count(text) < 2 else word_alone(one)
        for one, text in zip(unique, texts, strict=True)
    ]


def _one_fact(one: Candidate, other: Candidate) -> bool:
    return (
        one.text == other.text
        and one.withdraws == other.withdraws
        and predicate_of(one.predicate) == predicate_of(other.predicate)
        and fold(one.value) == fold(other.value)
        and (
            not one.value or subject_of(one.subject) == subject_of(other.subject) or not one.subject
        )
    )


def with_endings(
    unit: Unit, candidates: Sequence[Candidate], turns: Sequence[Turn], now: datetime
) -> list[Candidate]:
    """The proposals with what else the owner's turns end: known plans that they call off or move,
    and known statements that they deny. What was proposed of such a plan is part of the change.
    """
    plans: list[Candidate] = []
    denied: list[Candidate] = []
    for turn in turns:
        if turn.role != "user" or turn.trust != "owner":
            continue
        for sentence in _reader().stated(own_voice(turn.text)):
            plan = _plan_meant(unit, sentence, now)
            change = None if plan is None else _changed_plan(plan, sentence, turn)
            if change is not None:
                plans.append(change)
            else:
                denied += _denied(unit, sentence, turn, now)
    others = [one for one in candidates if not any(_of_plan(one, change) for change in plans)]
    ended = {source for one in (*plans, *denied) for source in one.sources}
    told: dict[str, str] = {
        turn.id: turn.text for turn in turns if turn.trust == "owner" and turn.id not in ended
    }
    news = [_as_news(one) if _is_news(unit, one, told, now) else one for one in others]
    return [*news, *plans, *denied]


def _is_news(unit: Unit, candidate: Candidate, told: Mapping[str, str], now: datetime) -> bool:
    """Whether somebody says in these words that something ended which nobody had told of."""
    if not candidate.withdraws or candidate.kind == "rule":
        return False
    said = undated(candidate.text)
    value = _content_words(candidate.value)
    if not value or not any(said in told.get(source, "") for source in candidate.sources):
        return False
    near = _near(unit, candidate.value, now)
    return not any(value <= _content_words(f"{one.subject} {one.text}") for one in near)


def _as_news(ending: Candidate) -> Candidate:
    """As a statement without a slot: "I quit coffee"."""
    return replace(ending, kind="fact", predicate=NO_SLOT, value=ending.text, withdraws=False)


def _denied(unit: Unit, sentence: str, turn: Turn, now: datetime) -> Iterator[Candidate]:
    """The ends of known statements that a sentence denies: it names their value and something else
    that they say, or is worded as the end of it.
    """
    reader = _reader()
    if not reader.denial.search(sentence):
        return
    final, folded = bool(reader.final.search(sentence)), fold(sentence)
    words, core = _content_words(sentence), _content_words(reader.without_signs(sentence))
    for memory in _near(unit, sentence, now):
        if memory.kind == "rule" or not memory.value or not _speaks_of(memory, sentence, reader):
            continue
        value, saying = _content_words(memory.value), _content_words(memory.text)
        about = _content_words(memory.predicate) | saying
        named = fold(memory.value) in folded
        rest = words & (about - value - _content_words(memory.subject))
        ends = named and (final or folded.endswith(fold(memory.value))) and (final or rest)
        habit = final and not named and bool(core) and core <= value | rest
        # Of somebody's name more has to be said: the sentence may only be about that person.
        told = rest or (value_type(memory.predicate) != "person" and reader.ended.search(sentence))
        if (ends and told) or habit:
            yield Candidate(
                memory.kind,
                sentence,
                subject=memory.subject,
                predicate=memory.predicate,
                value=memory.value,
                importance=memory.importance,
                confidence=RULES_CONFIDENCE,
                withdraws=True,
                project=memory.project,
                topic=memory.topic,
                sources=(turn.id,),
            )


def _speaks_of(memory: Memory, sentence: str, reader: _Reader) -> bool:
    """Whether a sentence may be about whom the statement is about."""
    about = subject_of(memory.subject)
    if about == "user":
        return bool(reader.own.search(sentence) or memory.value in sentence)
    return about in fold(sentence)


def _of_plan(candidate: Candidate, change: Candidate) -> bool:
    about_a_plan = predicate_of(candidate.predicate) in _PLANNED
    return about_a_plan and candidate.sources == change.sources


def _near(unit: Unit, text: str, now: datetime) -> Sequence[Memory]:
    """What is known and shares words with a text."""
    scope = Scope(("memory",), status="active", now=now)
    matches = unit.text.search(query_terms(text), scope, _NEAR).matches
    records = unit.text.records([match.doc for match in matches])
    return unit.memories.by_id([records[match.doc][1] for match in matches])


def _plan_meant(unit: Unit, sentence: str, now: datetime) -> Memory | None:
    """The known plan that a sentence moves or calls off: the one it shares most words with."""
    reader = _reader()
    if not (reader.moved.search(sentence) or reader.off.search(sentence)):
        return None
    wanted = MemoryFilter(status="active", limit=_PLANS)
    best, most, tied = None, 0, False
    words = _content_words(sentence)
    for memory in unit.memories.find(wanted):
        if predicate_of(memory.predicate) not in _PLANNED:
            continue
        if memory.expires_at is not None and memory.expires_at <= now:
            continue
        shared = len(words & (_content_words(memory.subject) | _content_words(memory.text)))
        if shared > most:
            best, most, tied = memory, shared, False
        elif shared == most and shared:
            tied = True
    return None if tied else best


def _changed_plan(plan: Memory, sentence: str, turn: Turn) -> Candidate | None:
    reader = _reader()
    change = Candidate(
        plan.kind,
        sentence.strip(" .。!！"),
        subject=plan.subject,
        predicate=plan.predicate,
        value=plan.value,
        importance=plan.importance,
        confidence=RULES_CONFIDENCE,
        project=plan.project,
        topic=plan.topic,
        sources=(turn.id,),
    )
    spans = find_times(_BEFORE.split(sentence)[0], turn.at)
    day = spans[-1].text if spans else ""
    if reader.moved.search(sentence) and day:
        return dated(replace(change, value=day, is_update=True), turn.at)
    if reader.off.search(sentence):
        return replace(change, withdraws=True)
    return None


def _content_words(text: str) -> frozenset[str]:
    return frozenset(term.text for term in query_terms(text) if term.weight > STOP_WEIGHT)
