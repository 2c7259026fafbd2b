"""The laws of learning: the step between a proposal and a memory, one for every proposer.

Patterns, a model, an import and a tool propose; here it is decided what a proposal may become. A
value has to be of its slot's type, a rule has to be an instruction, a memory says one thing in
words of its own, and a slot with one answer changes only by a sign of change, by a repetition in
another session or by a person. What is said that ends something known is in ``endings.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from math import nextafter

from mnemic.language.extract import extract
from mnemic.language.extract.languages import load_patterns
from mnemic.language.extract.traps import Instructions
from mnemic.language.extract.wording import drop_date, word_alone
from mnemic.language.value_types import fits
from mnemic.rules import checks
from mnemic.rules.likeness import plain_words, values_touch
from mnemic.rules.slots import fold, has_one_answer, predicate_of, subject_of, value_type
from mnemic.rules.support import rank
from mnemic.store.contract import Unit
from mnemic.store.rows import MemoryFilter
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
_GROWING = frozenset({"age", "version"})
_FIGURES = re.compile(r"\d+")
_ANY_TIME = datetime(2001, 1, 1, tzinfo=UTC)
_SENTENCE_ENDS = re.compile(r"(?<=[。！？!?;；\n])|(?<=[.])\s+")


@cache
def _instructions() -> Instructions:
    return Instructions(load_patterns().phrases)


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
    kinds = {new.kind for new in extract(text, said_at=_ANY_TIME) if not new.withdraws}
    return kinds.pop() if len(kinds) == 1 else "fact"


def fault_of(statement: Candidate | Memory) -> str:
    """What is wrong with a statement by its slot: "value", "rule", or nothing."""
    if statement.kind == "rule":
        return "" if _instructions().may_be(statement.text) else "rule"
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
        unit.journal.begin(key_of("misread", memory.id, stamp(now)), now).note(
            "archive",
            memory.id,
            reason=constant("its value is not of its slot's type, or no instruction"),
        )
    return len(misread)


# --- when an answer changes ----------------------------------------------------------------------


def may_change(
    candidate: Candidate, trust: Trust, existing: Sequence[Memory], turns: Sequence[Turn]
) -> bool:
    """Whether a statement may take the place of the answers known: it is worded as a change or a
    correction, was asked to be kept, or comes from a better source.
    """
    predicate = predicate_of(candidate.predicate)
    passing = predicate in _PASSING or not has_one_answer(predicate)
    if candidate.is_update or candidate.asked or passing:
        return True
    if all(rank(trust) > rank(memory.trust) for memory in existing) or not turns:
        return True  # what a host proposes out of no talk is weighed by recency and repetition
    if all(values_touch(candidate.value, memory.value) for memory in existing):
        return True  # Lisbon, and Lisbon near the Alfama
    grows = predicate in _GROWING or predicate.endswith("version")
    if grows and all(_is_more(candidate.value, memory.value) for memory in existing):
        return True
    return names_change(candidate, turns)


def names_change(candidate: Candidate, turns: Sequence[Turn]) -> bool:
    """Whether the answer to a question with one is worded as a change or a correction."""
    return has_one_answer(candidate.predicate) and says_change(candidate, turns)


def says_change(candidate: Candidate, turns: Sequence[Turn]) -> bool:
    """Whether a statement is worded as a change or a correction."""
    return any(map(load_patterns().phrases("change_sign").search, _around(candidate, turns)))


def _around(candidate: Candidate, turns: Sequence[Turn]) -> list[str]:
    """The statement, and the sentences that say its value; all of them where it was reworded."""
    sentences = [sentence for turn in turns for sentence in _SENTENCE_ENDS.split(turn.text)]
    value = fold(candidate.value)
    saying = [sentence for sentence in sentences if value and value in fold(sentence)]
    return [candidate.text, *(saying or sentences)]


def is_said_elsewhere(waiting: Iterable[Memory], turns: Sequence[Turn]) -> bool:
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
        if not any(_is_one_fact(candidate, other) for other in unique):
            unique.append(candidate)
    texts = [drop_date(candidate.text) for candidate in unique]
    return [
        new if new.withdraws or texts.count(text) < 2 else word_alone(new)
        for new, text in zip(unique, texts, strict=True)
    ]


def _is_one_fact(new: Candidate, other: Candidate) -> bool:
    return (
        new.text == other.text
        and new.withdraws == other.withdraws
        and predicate_of(new.predicate) == predicate_of(other.predicate)
        and fold(new.value) == fold(other.value)
        and not (new.value and new.subject and subject_of(new.subject) != subject_of(other.subject))
    )
