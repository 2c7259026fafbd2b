"""The laws of learning: the step between a proposal and a memory, one for every proposer.

Patterns, a model, an import and a tool propose; here it is decided what a proposal may become. A
value has to be of its slot's type, a rule has to be an instruction, a memory says one thing in
words of its own, and a slot with one answer changes only by a sign of change, by a repetition in
another session or by a person. What was called off or moved is found among what is known.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import chain
from math import nextafter
from typing import Protocol

from mnemic.index.segment import STOP_WEIGHT, query_terms
from mnemic.language.dates.reader import find_times
from mnemic.language.extract import extract
from mnemic.language.extract.dates import NO_SLOT, dated
from mnemic.language.extract.entries import USER
from mnemic.language.extract.languages import Patterns, built_in
from mnemic.language.extract.people import names_of
from mnemic.language.extract.sentences import Splitter
from mnemic.language.extract.traps import Instructions, Traps
from mnemic.language.extract.wording import halves, undated, word_alone
from mnemic.language.value_types import fits
from mnemic.language.voice import own_voice
from mnemic.rules import checks
from mnemic.rules.importance import RULES_CONFIDENCE
from mnemic.rules.likeness import may_agree, plain_words, values_touch
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
_NEAREST = 3  # in meaning, that a reader judges
_SHARING = 1  # of those that share words, which it judges as well
_DANGEROUS = frozenset({"allergy"})  # to forget: ends only by words
_ALIKE = 0.6  # of the words of two statements about different things
# How sure a reader has to be: where words say so too, else, and of what tells of one thing more.
_ENDS_BY_WORD, _ENDS, _ENDS_BESIDE = 0.55, 0.75, 0.9
_APART = 1.35  # times the odds of the half that stays, those of the one that ends
_READ_WHOLE = 300  # characters of a message whose sentences are judged together
_PLANS = 200
_ANY_TIME = datetime(2001, 1, 1, tzinfo=UTC)
_BEFORE = re.compile(r"(?i)\b(?:instead of|rather than|from)\b(?!.*\bto\b)|而不是|原定|原来")
_SENTENCE_ENDS = re.compile(r"(?<=[。！？!?;；\n])|(?<=[.])\s+")


class EndingJudge(Protocol):
    """A reader that compares what is said with what is known."""

    def __call__(self, known: Collection[str], said: str) -> Mapping[str, float]:
        """How likely a text ends each of the statements known."""

    def nearest(self, unit: Unit, said: str, now: datetime, limit: int) -> Sequence[Memory]:
        """What is known and nearest in meaning to a text."""

    def are_worth(self, texts: Collection[str]) -> Collection[str]:
        """Those of the texts that say something worth keeping on their own."""


class _Reader:
    """What the laws read out of texts, by the phrases of the languages."""

    def __init__(self, patterns: Patterns) -> None:
        self.instructions = Instructions(patterns.phrases)
        self.splitter, self.traps = Splitter(patterns.phrases), Traps(patterns.phrases)
        self.change = patterns.phrases("change_sign")
        self.denial, self.ended = patterns.phrases("denial"), patterns.phrases("ending")
        self.final, self.own = patterns.phrases("final_denial"), patterns.phrases("first_person")
        self.person, self.besides = patterns.phrases("person_subject"), patterns.phrases("besides")
        self.affected, self.close = patterns.phrases("affected"), patterns.phrases("close")
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
        and not (one.value and one.subject and subject_of(one.subject) != subject_of(other.subject))
    )


def with_endings(
    unit: Unit,
    candidates: Sequence[Candidate],
    turns: Sequence[Turn],
    now: datetime,
    ends: EndingJudge | None = None,
) -> list[Candidate]:
    """The proposals with what else the owner's turns end: known plans that they call off or move,
    and known statements that they deny, or end by the judgment of a reader. What was proposed of
    such a plan is part of the change.
    """
    plans: list[Candidate] = []
    denied: list[Candidate] = []
    judged: list[Candidate] = []
    told_since: list[Candidate] = []
    learned = {source for one in candidates if not one.withdraws for source in one.sources}
    for turn in turns:
        if turn.role != "user" or turn.trust != "owner":
            continue
        stated = list(_reader().stated(own_voice(turn.text)))
        for sentence in stated:
            plan = _plan_meant(unit, sentence, now)
            change = None if plan is None else _changed_plan(plan, sentence, turn)
            if change is not None:
                plans.append(change)
            else:
                for memory in _denied(unit, sentence, now):
                    denied += _end(memory, sentence, turn, ends)
        if ends:
            together = sum(map(len, stated)) <= _READ_WHOLE
            for said in filter(None, [" ".join(stated)] if together else stated):
                for memory in _ended(unit, ends, said, now):
                    judged += _end(memory, said, turn, ends)
            if turn.id not in learned and any(turn.id in one.sources for one in judged):
                worth = ends.are_worth(stated)
                told_since += [_kept(said, turn) for said in stated if said in worth]
    others = [
        one
        for one in (*candidates, *told_since)
        if not any(_of_plan(one, change) for change in plans)
    ]
    # Where the answer to a question with one is told anew, what was judged is that it changes.
    over = [one for one in judged if one.withdraws]
    changed = {_slot(one) for one in over if has_one_answer(one.predicate)}
    changed &= {_slot(one) for one in others if not one.withdraws}
    # Of several answers, the one that is replaced is the one that was judged to end.
    meant = {source for one in over if one.predicate == NO_SLOT for source in one.sources}
    others = [
        replace(one, is_update=_slot(one) in changed)
        if _slot(one) in changed or (meant & {*one.sources} and not has_one_answer(one.predicate))
        else one
        for one in others
    ]
    denied += [one for one in judged if _slot(one) not in changed]
    ended = {source for one in (*plans, *denied) for source in one.sources}
    told: dict[str, str] = {
        turn.id: turn.text for turn in turns if turn.trust == "owner" and turn.id not in ended
    }
    news = [_as_news(one) if _is_news(unit, one, told, now) else one for one in others]
    return [*denied, *news, *plans]  # what is told anew is not ended by the same words


def _kept(said: str, turn: Turn) -> Candidate:
    """What ended something known, and no pattern reads: the new employer, the new tool."""
    text = said.strip(" .。!！")
    statement = Candidate(
        "fact", text, subject=USER, predicate=NO_SLOT, value=text, sources=(turn.id,)
    )
    return dated(statement, turn.at)


def _slot(candidate: Candidate) -> tuple[str, str]:
    return subject_of(candidate.subject), predicate_of(candidate.predicate)


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


def _denied(unit: Unit, sentence: str, now: datetime) -> Iterator[Memory]:
    """The known statements that a sentence denies: it names their value and something else that
    they say, or is worded as the end of it.
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
            yield memory


def _end(memory: Memory, said: str, turn: Turn, ends: EndingJudge | None) -> Iterator[Candidate]:
    """The end of something known; of two things that it says, the other lives on as it was."""
    yield _end_of(memory, said, turn)
    rest = _other_half(memory, said, ends) if ends else ""
    if rest:
        yield _rest_of(memory, rest)


def _other_half(memory: Memory, said: str, ends: EndingJudge) -> str:
    """The half of a statement that a text does not end, in words of its own."""
    pairs = _halves(memory)
    sure = ends({one for one, _ in pairs}, said)
    apart = {rest: _odds(sure[over]) / _odds(sure[rest]) for over, rest in pairs}
    alive = ends.are_worth([rest for rest in apart if apart[rest] >= _APART])
    return max(alive, key=apart.__getitem__, default="")


def _odds(chance: float) -> float:
    return (chance + 0.001) / (1.001 - chance)


def is_half(text: str, memory: Memory) -> bool:
    """Whether a text is one of the two things that a memory says."""
    return any(undated(text) == half for half, _ in _halves(memory))


def _halves(memory: Memory) -> list[tuple[str, str]]:
    return list(halves(undated(memory.text), _who(memory)))


def _end_of(memory: Memory, sentence: str, turn: Turn) -> Candidate:
    return Candidate(
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


def _ended(unit: Unit, ends: EndingJudge, said: str, now: datetime) -> Iterator[Memory]:
    """The known statements that a text ends by a reader's judgment."""
    words = _content_words(said)
    sharing = [one for one in _near(unit, said, now) if words & _content_words(one.text)]
    found = (*ends.nearest(unit, said, now, _NEAREST), *sharing[:_SHARING])
    unique = {memory.id: memory for memory in found}.values()
    near = [memory for memory in unique if _may_end(unit, memory, said)]
    sure = ends({undated(memory.text) for memory in near}, said)
    usual = _ENDS_BESIDE if _reader().besides.search(said) else _ENDS
    for memory in near:
        level = _ENDS_BY_WORD if _is_named_as_over(memory, said) else usual
        if sure[undated(memory.text)] >= level:
            yield memory


def _is_named_as_over(memory: Memory, said: str) -> bool:
    """Whether a clause with words for an end names what a statement says."""
    reader, words = _reader(), _content_words(memory.text)
    clauses = reader.splitter.clauses(said)
    return any(reader.final.search(one) and words & _content_words(one) for one in clauses)


def _may_end(unit: Unit, memory: Memory, said: str) -> bool:
    """Whether a text may end a statement by what both are about."""
    if memory.kind == "rule" or not memory.value or predicate_of(memory.predicate) in _DANGEROUS:
        return False
    if fold(undated(memory.text)) in fold(said) or _is_of_another(memory.text, said):
        return False  # what is said again does not end, and room A is not room B
    if subject_of(memory.subject) in (USER, "team"):
        return not _is_of_another_person(memory.text, said)
    if predicate_of(memory.predicate) in _PLANNED:
        return True  # "we get married in May instead": the wedding
    # Who somebody is to the user is only looked up where their own name is not said.
    subjects = chain([memory.subject], _relations_of(unit, memory.subject))
    return any(_names(said, name) for subject in subjects for name in names_of(subject))


def _relations_of(unit: Unit, name: str) -> Iterator[str]:
    """What somebody is to the user, where there is only one: the father, not a friend."""
    wanted = MemoryFilter(status="active", kind="identity", limit=_PLANS)
    for memory in unit.memories.find(wanted):
        if fold(memory.value) == fold(name) and has_one_answer(subject_of(memory.predicate)):
            yield memory.predicate


def _is_of_another_person(known: str, said: str) -> bool:
    """Whether all that a text says is of somebody whom the statement does not name, and who has a
    life of their own: a brother, not the landlord.
    """
    reader = _reader()
    for sentence in filter(None, _SENTENCE_ENDS.split(said)):
        person = reader.person.match(sentence)
        names = {name for name in person.groups() if name} if person else set[str]()
        if not person or any(fold(name) in fold(known) for name in names):
            return False
        if reader.affected.search(sentence[person.end() :]) or not any(
            map(reader.close.fullmatch, names)
        ):
            return False
    return True


def _names(said: str, subject: str) -> bool:
    """Whether a text names somebody or something; Django is not Go."""
    return bool(re.search(rf"(?<![a-z\d]){re.escape(subject_of(subject))}(?![a-z\d])", fold(said)))


def _is_of_another(known: str, said: str) -> bool:
    """Whether two texts say the same of two things: all but a letter, a figure or a name."""
    mine, other = _content_words(known), _content_words(said)
    return len(mine & other) >= _ALIKE * len(mine | other) and not may_agree(known, said)


def _who(memory: Memory) -> str:
    """The name of whom a statement is about; nothing for the user."""
    if subject_of(memory.subject) != USER:
        return memory.subject
    return memory.value if value_type(memory.predicate) == "person" else ""


def _rest_of(memory: Memory, text: str) -> Candidate:
    """What stays of something known, as it was learned."""
    slot = memory.subject, memory.predicate, memory.value
    kept = fold(memory.value) in fold(text)
    subject, predicate, value = slot if kept else (memory.subject, NO_SLOT, text)
    return Candidate(
        memory.kind if kept else "fact",
        text + memory.text.removeprefix(undated(memory.text)),
        subject=subject,
        predicate=predicate,
        value=value,
        importance=memory.importance,
        confidence=memory.confidence,
        project=memory.project,
        topic=memory.topic,
        trust=memory.trust,
        sources=tuple(source.turn_id for source in memory.sources),
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
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
