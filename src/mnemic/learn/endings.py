"""What the owner's words end of what is known: plans called off or moved, denials, corrections and
changes.

Words for an end are read by the phrases of the languages; where they do not say it, a reader judges
what a message ends of what is near to it. What is told besides the end is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from mnemic.index.segment import STOP_WEIGHT, query_terms
from mnemic.language.dates.reader import find_times
from mnemic.language.extract.dates import NO_SLOT, add_dates
from mnemic.language.extract.entries import USER
from mnemic.language.extract.languages import load_patterns
from mnemic.language.extract.message import LONGEST
from mnemic.language.extract.people import names_of
from mnemic.language.extract.sentences import Splitter, is_brief
from mnemic.language.extract.traps import Traps
from mnemic.language.extract.wording import ahead, drop_date, halves
from mnemic.language.voice import own_voice
from mnemic.rules.importance import RULES_CONFIDENCE
from mnemic.rules.likeness import may_agree
from mnemic.rules.slots import fold, has_one_answer, predicate_of, subject_of, value_type
from mnemic.store.contract import Unit
from mnemic.store.rows import MemoryFilter, Scope
from mnemic.types import Candidate, Memory, Turn

if TYPE_CHECKING:
    from mnemic.learn.voices import EndingReader

_PLANNED = frozenset({"schedule", "deadline", "appointment", "trip", "plan", "event"})
_NEAR = 12  # memories that a denial is held against
_NEAREST, _SHARING = 3, 1  # in meaning, and of those that share words, that a reader judges
_DANGEROUS = frozenset({"allergy"})  # to forget: ends only by words
_FOR_LIFE = frozenset({"name", "birthday", "from", "native_language"})  # ends only by another
_ALIKE = 0.6  # of the words of two statements about different things
# How sure a reader has to be of a text that names what is known, with a word for its end and
# without, of one that only names whom it is about, of another text, and of one thing more.
_ENDS_BY_WORD, _ENDS_NAMED, _ENDS_OF_WHOM, _ENDS, _ENDS_BESIDE = 0.5, 0.65, 0.7, 0.8, 0.9
_EARNEST, _HINTED = 0.5, 0.25  # how likely it is worth keeping; to end, for clauses to be asked
_OF_A_CLAUSE = 0.2  # that much surer of a clause than of the whole
_APART = 1.35  # times the odds of the half that stays, those of the one that ends
_NAMED = 4  # times the odds of a half whose words are said
_FEWEST = 4, 3  # Han characters or words of what is left of a statement
READ_WHOLE = 300  # characters of a message whose sentences are judged together
_PLANS = 200
_SIGNS = ("denial", "final_denial", "ending", "replaced", "plan_off")
_BEFORE = re.compile(r"(?i)\b(?:instead of|rather than|from)\b(?!.*\bto\b)|而不是|原定|原来")
_PROPER = re.compile(r"\b[A-Z][^\W\d_]+")
_AUXILIARY = re.compile(r"(?i)\b(?:do|does|did|is|are|am|was|i|we|really)\b|[我了]")
_SENTENCE_ENDS = re.compile(r"(?<=[。！？!?;；\n])|(?<=[.])\s+")


def _says(sign: str, text: str) -> bool:
    """Whether a text has one of the phrases of the languages for something."""
    return load_patterns().phrases(sign).search(text) is not None


@cache
def _splitter() -> Splitter:
    return Splitter(load_patterns().phrases)


def _split_statements(text: str) -> Iterator[str]:
    """The sentences of a text that state something, as they were said."""
    traps = Traps(load_patterns().phrases)
    for sentence in _splitter().split_sentences(text):
        if traps.opens_play(sentence.text):
            return
        stated = traps.keep_stated(sentence.text, sentence.clauses)
        if stated and not traps.not_meant(sentence.text):
            yield ", ".join(stated) if len(stated) < len(sentence.clauses) else sentence.text


@dataclass(frozen=True, slots=True)
class _End:
    """The end of something known, and what stays of it: of two things that it says, the other."""

    memory: Memory
    text: str  # that ends it
    turn: Turn
    rest: str = ""

    @property
    def slot(self) -> tuple[str, str]:
        return _slot(self.memory)

    @property
    def words(self) -> frozenset[str]:
        """Those that name what is over."""
        return _telling_words(self.memory) - _content_words(self.rest)

    def candidates(self) -> Iterator[Candidate]:
        yield replace(_like(self.memory, self.text), withdraws=True, sources=(self.turn.id,))
        if self.rest:
            yield _rest_of(self.memory, self.rest)


def with_endings(
    unit: Unit,
    candidates: Sequence[Candidate],
    turns: Sequence[Turn],
    now: datetime,
    judge: EndingReader | None = None,
) -> list[Candidate]:
    """The proposals with what else the owner's turns end: known plans that they call off or move,
    and known statements that they deny, or end by the judgment of a reader. What was proposed of
    such a plan is part of the change.
    """
    plans: list[Candidate] = []
    ends: list[_End] = []
    replacements: list[Candidate] = []
    stating = [new for new in candidates if not new.withdraws]
    learned, slots = {id_ for new in stating for id_ in new.sources}, set(map(_slot, stating))
    judged: list[_End] = []
    for turn in turns:
        if turn.role != "user" or turn.trust != "owner":
            continue
        stated = list(_split_statements(own_voice(turn.text)))
        for sentence in stated:
            plan = _plan_meant(unit, sentence, now)
            change = None if plan is None else _change_plan(plan, sentence, turn)
            if plan is not None and change is not None:
                plans.append(change)
                if change.withdraws:
                    ends.append(_end(plan, sentence, turn, judge))
                elif plan.predicate == NO_SLOT:
                    ends.append(_End(plan, sentence, turn))
            else:
                denied = _find_denied(unit, sentence, now)
                ends += [_end(memory, sentence, turn, judge) for memory in denied]
        if judge:
            over = {end.memory.id for end in ends if end.turn is turn}
            ended = [
                (memory, text)
                for memory, text in _find_ended(unit, judge, stated, now)
                if memory.id not in over
                and (_slot(memory) in slots or predicate_of(memory.predicate) not in _FOR_LIFE)
            ]
            judged += [_end(memory, text, turn, judge) for memory, text in ended]
            message = " ".join(stated) if ended and turn.id not in learned else ""
            words = chain.from_iterable(_telling_words(memory) for memory, _ in ended)
            tells = _says("replaced", message) or _tells_more(message, frozenset(words))
            if tells and len(message) <= LONGEST:
                replacements.append(_make_replacement(message, turn))
    others = [new for new in (*candidates, *replacements) if not _is_of_plan(new, plans)]
    # Where the answer to a question with one is told anew, what was judged is that it changes.
    changed = {end.slot for end in judged if has_one_answer(end.memory.predicate)}
    changed &= {_slot(new) for new in others if not new.withdraws}
    # Of several answers, the one that is replaced is the one that was judged to end.
    meant = {end.turn.id for end in judged if end.memory.predicate == NO_SLOT}
    others = [
        replace(new, is_update=_slot(new) in changed)
        if _slot(new) in changed or (meant & {*new.sources} and not has_one_answer(new.predicate))
        else new
        for new in others
    ]
    ends += [end for end in judged if end.slot not in changed]
    others = [beside for new in others if (beside := _beside_the_end(new, (*ends, *judged), judge))]
    ended_by = {end.turn.id for end in ends} | {id_ for change in plans for id_ in change.sources}
    texts: dict[str, str] = {
        turn.id: turn.text for turn in turns if turn.trust == "owner" and turn.id not in ended_by
    }
    news = [_restate(unit, new, texts, now) for new in others]
    moved = [change for change in plans if not change.withdraws]
    # What is told anew is not ended by the same words.
    return [*chain.from_iterable(end.candidates() for end in ends), *news, *moved]


def _beside_the_end(
    candidate: Candidate, ends: Iterable[_End], judge: EndingReader | None
) -> Candidate | None:
    """A statement without a slot and without the clauses that only say what is over: no other
    figure, no change. None where nothing is left that could stand alone.
    """
    if candidate.predicate != NO_SLOT or candidate.withdraws or candidate.valid_to is not None:
        return candidate
    text = drop_date(candidate.text)
    words = (end.words for end in ends if end.turn.id in candidate.sources)
    over = frozenset(chain.from_iterable(words))
    clauses = _splitter().split_clauses(text)
    named = {clause for clause in clauses if over & _content_words(clause)}
    named -= {clause for clause in named if _tells_more(clause, over)}
    beside = [clause for clause in clauses if clause not in named or _says("replaced", clause)]
    if len(beside) == len(clauses):
        return candidate
    rest = (", " if text.isascii() else "，").join(beside)
    fragment = is_brief(rest) or any(
        load_patterns().phrases(sign).match(rest) for sign in ("leans", "denial")
    )
    if fragment or not (_says("replaced", rest) or (judge and judge.are_worth([rest]))):
        return None
    return replace(candidate, text=candidate.text.replace(text, rest), value=rest)


def _tells_more(clause: str, over: frozenset[str]) -> bool:
    """Whether a clause that ends something goes on with a figure or a name: "left for Nimbly"."""
    if any(map(str.isdigit, _content_words(clause) - over)):
        return True
    folded = fold(clause)
    names = {name.start(): _content_words(name[0]) for name in _PROPER.finditer(clause)}
    ended = [place for place, words in names.items() if words & over]
    ended += [place for word in over if (place := folded.find(word)) >= 0]
    first = min(ended, default=0)
    return any(place > first and not words & over for place, words in names.items())


def _make_replacement(statement: str, turn: Turn) -> Candidate:
    """What ended something known, and no pattern reads: the new employer, the new tool."""
    text = statement.strip(" .。!！")
    replacement = Candidate("fact", text, subject=USER, predicate=NO_SLOT, value=text)
    return add_dates(replace(replacement, confidence=RULES_CONFIDENCE, sources=(turn.id,)), turn.at)


def _slot(statement: Candidate | Memory) -> tuple[str, str]:
    return subject_of(statement.subject), predicate_of(statement.predicate)


def _restate(unit: Unit, ending: Candidate, texts: Mapping[str, str], now: datetime) -> Candidate:
    """The end of something that nobody had told of, as a statement in the words it was said in."""
    statement, value = drop_date(ending.text), _content_words(ending.value)
    if not ending.withdraws or ending.kind == "rule" or not value:
        return ending
    near = _near(unit, ending.value, now)
    is_known = any(value <= _content_words(f"{memory.subject} {memory.text}") for memory in near)
    if is_known or not any(statement in texts.get(source, "") for source in ending.sources):
        return ending
    return replace(ending, kind="fact", predicate=NO_SLOT, value=ending.text, withdraws=False)


# --- by words ------------------------------------------------------------------------------------


def _find_denied(unit: Unit, sentence: str, now: datetime) -> Iterator[Memory]:
    """The known statements that a sentence denies: it names their value and something else that
    they say, or is worded as the end of it.
    """
    if not _says("denial", sentence):
        return
    final, folded = _says("final_denial", sentence), fold(sentence)
    words, core = _content_words(sentence), _content_words(_without_signs(sentence))
    for memory in _near(unit, sentence, now):
        if memory.kind == "rule" or not memory.value or not _speaks_of(memory, sentence):
            continue
        value, saying = _content_words(memory.value), _content_words(memory.text)
        about = _content_words(memory.predicate) | saying
        named = fold(memory.value) in folded
        rest = words & (about - value - _content_words(memory.subject))
        ends = named and (final or folded.endswith(fold(memory.value))) and (final or rest)
        habit = final and not named and bool(core) and core <= value | rest
        # Of somebody's name more has to be said: the sentence may only be about that person.
        specific = rest or (value_type(memory.predicate) != "person" and _says("ending", sentence))
        if (ends and specific) or habit:
            yield memory


def _without_signs(sentence: str) -> str:
    """A sentence without the words that deny or end something."""
    for sign in map(load_patterns().phrases, ("final_denial", "denial")):
        sentence = sign.sub(" ", sentence)
    return _AUXILIARY.sub(" ", sentence)


def _speaks_of(memory: Memory, sentence: str) -> bool:
    """Whether a sentence may be about whom the statement is about."""
    about = subject_of(memory.subject)
    if about == USER:
        return _says("first_person", sentence) or memory.value in sentence
    return about in fold(sentence)


# --- by the judgment of a reader -----------------------------------------------------------------


def _find_ended(
    unit: Unit, judge: EndingReader, stated: Sequence[str], now: datetime
) -> Iterator[tuple[Memory, str]]:
    """The known statements that a message ends by a reader's judgment, each with what says so."""
    together = sum(map(len, stated)) <= READ_WHOLE
    for text in filter(None, [" ".join(stated)] if together else stated):
        words = _content_words(text)
        near = [like for like in _near(unit, text, now) if words & _content_words(like.text)]
        near = [*judge.nearest(unit, text, now, _NEAREST), *near[:_SHARING]]
        for memory in {memory.id: memory for memory in near}.values():
            if _may_end(unit, memory, text) and _does_end(judge, memory, text):
                yield memory, text


def _does_end(judge: EndingReader, memory: Memory, text: str) -> bool:
    """Whether a text or one of its clauses ends a statement, more surely where it names what that
    tells of. A job, of which there is one, ends unnamed only by words worth keeping: no "I'm dead".
    """
    statement = drop_date(memory.text)
    is_named = bool(_telling_words(memory) & _content_words(text))
    level = _ENDS_NAMED if is_named else _ENDS_OF_WHOM if _names_whom(memory, text) else _ENDS
    if is_named and _says("final_denial", text):
        level = _ENDS_BY_WORD
    elif _says("besides", text):
        level = _ENDS_BESIDE
    sure = judge([statement], text)[statement]
    if has_one_answer(memory.predicate) and not is_named:
        return sure >= level and bool(judge.are_worth([text], _EARNEST))
    if sure >= level or level == _ENDS_BESIDE or sure < _HINTED:  # no clause would be sure enough
        return sure >= level
    return any(
        judge([statement], clause)[statement] >= level + _OF_A_CLAUSE
        for clause in _splitter().split_clauses(text)
        if not is_brief(clause, *_FEWEST)
    )


def _names_whom(memory: Memory, text: str) -> bool:
    """Whether a text names the person or thing that a statement is about."""
    who = _who(memory)
    return bool(who) and any(_names(text, name) for name in _names_for(who))


def _names_for(subject: str) -> frozenset[str]:
    """What a subject goes by: Yusuf, of "Yusuf in payroll"."""
    name = _PROPER.match(subject)
    return names_of(subject) | ({name[0]} if name else set())


def _telling_words(memory: Memory) -> frozenset[str]:
    """The words that tell a statement from others about the same person: no figures, and
    no single characters.
    """
    person = load_patterns().phrases("person_subject").match(memory.text)
    of_whom = _content_words(f"{memory.subject} {_who(memory)} {person[0] if person else ''}")
    return frozenset(
        word
        for word in _content_words(memory.text) - of_whom
        if len(word) > (2 if word.isascii() else 1) and not word.isdigit()
    )


def _may_end(unit: Unit, memory: Memory, text: str) -> bool:
    """Whether a text may end a statement by what both are about."""
    if memory.kind == "rule" or not memory.value or predicate_of(memory.predicate) in _DANGEROUS:
        return False
    again = memory.value if has_one_answer(memory.predicate) else drop_date(memory.text)
    if fold(again) in fold(text) and not any(_says(sign, text) for sign in _SIGNS):
        return False  # what is said again does not end
    if _is_of_another(memory, text):
        return False  # room A is not room B
    if subject_of(memory.subject) in (USER, "team"):
        return not _is_of_another_person(memory.text, text)
    if predicate_of(memory.predicate) in _PLANNED:
        return True  # "we get married in May instead": the wedding
    # Who somebody is to the user is only looked up where their own name is not said.
    subjects = chain([memory.subject], _relations_of(unit, memory.subject))
    return any(_names(text, name) for subject in subjects for name in _names_for(subject))


def _relations_of(unit: Unit, name: str) -> Iterator[str]:
    """What somebody is to the user, where there is only one: the father, not a friend."""
    wanted = MemoryFilter(status="active", kind="identity", limit=_PLANS)
    for memory in unit.memories.find(wanted):
        if fold(memory.value) == fold(name) and has_one_answer(subject_of(memory.predicate)):
            yield memory.predicate


def _is_of_another_person(statement: str, text: str) -> bool:
    """Whether all that a text says is of somebody whom the statement does not name, and who has a
    life of their own: a brother, not the landlord.
    """
    for sentence in filter(None, _SENTENCE_ENDS.split(text)):
        person = load_patterns().phrases("person_subject").match(sentence)
        names = {name for name in person.groups() if name} if person else set[str]()
        if not person or any(fold(name) in fold(statement) for name in names):
            return False
        if _says("affected", sentence[person.end() :]) or not any(
            map(load_patterns().phrases("close").fullmatch, names)
        ):
            return False
    return True


def _names(text: str, subject: str) -> bool:
    """Whether a text names somebody or something; Django is not Go."""
    return bool(re.search(rf"(?<![a-z\d]){re.escape(fold(subject))}(?![a-z\d])", fold(text)))


def _is_of_another(memory: Memory, text: str) -> bool:
    """Whether two texts say the same of two things: all but a letter, a figure or a name, or all
    but the value, which by itself is no sign of a change.
    """
    mine, other = _content_words(memory.text), _content_words(text)
    value = _content_words(memory.value)
    slot = mine - value - _content_words(memory.subject)
    if slot and mine - value <= other and len(other - mine) <= len(value):
        return True
    same = len(mine & other) >= _ALIKE * len(mine | other)
    return same and not may_agree(memory.text, text)


# --- the half that lives on ----------------------------------------------------------------------


def _end(memory: Memory, text: str, turn: Turn, judge: EndingReader | None) -> _End:
    return _End(memory, text, turn, _other_half(memory, text, judge) if judge else "")


def _other_half(memory: Memory, text: str, judge: EndingReader) -> str:
    """The half of a statement that a text does not end, in words of its own: the one that it does
    not name, and by a reader's judgment.
    """
    pairs, words = _halves(memory), _content_words(text)
    sure = judge({half for half, _ in pairs}, text)
    odds = {half: (sure[half] + 0.001) / (1.001 - sure[half]) for half, _ in pairs}
    for half in odds:
        odds[half] *= _NAMED if words & _content_words(half) else 1
    apart = {rest: odds[over] / odds[rest] for over, rest in pairs}
    alive = judge.are_worth(
        [half for half in apart if apart[half] >= _APART and not is_brief(half, *_FEWEST)]
    )
    return max(alive, key=apart.__getitem__, default="")


def is_half(text: str, memory: Memory) -> bool:
    """Whether a text is one of the two things that a memory says."""
    return any(drop_date(text) == half for half, _ in _halves(memory))


def _halves(memory: Memory) -> list[tuple[str, str]]:
    return list(halves(drop_date(memory.text), _who(memory)))


def _who(memory: Memory) -> str:
    """The name of whom a statement is about; nothing for the user."""
    if subject_of(memory.subject) != USER:
        return memory.subject
    return memory.value if value_type(memory.predicate) == "person" else ""


def _like(memory: Memory, text: str) -> Candidate:
    """A text in the place of something known."""
    return Candidate(
        memory.kind,
        text,
        subject=memory.subject,
        predicate=memory.predicate,
        value=memory.value,
        importance=memory.importance,
        confidence=RULES_CONFIDENCE,
        project=memory.project,
        topic=memory.topic,
    )


def _rest_of(memory: Memory, text: str) -> Candidate:
    """What stays of something known, as it was learned."""
    rest = replace(
        _like(memory, text + memory.text.removeprefix(drop_date(memory.text))),
        confidence=memory.confidence,
        trust=memory.trust,
        sources=tuple(source.turn_id for source in memory.sources),
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
    )
    if fold(memory.value) in fold(text):
        return rest
    return replace(rest, kind="fact", predicate=NO_SLOT, value=text)


# --- plans ---------------------------------------------------------------------------------------


def _is_of_plan(candidate: Candidate, changes: Iterable[Candidate]) -> bool:
    text = drop_date(candidate.text) if candidate.predicate == NO_SLOT else ""
    is_plan = predicate_of(candidate.predicate) in _PLANNED
    alike = (change for change in changes if change.sources == candidate.sources)
    return any(is_plan or change.text in text for change in alike)


def _plan_meant(unit: Unit, sentence: str, now: datetime) -> Memory | None:
    """The known plan that a sentence moves or calls off: the one it shares most words with."""
    if not (_says("plan_moved", sentence) or _says("plan_off", sentence)):
        return None
    words, sharing = _content_words(sentence), list[tuple[int, Memory]]()
    for memory in unit.memories.find(MemoryFilter(status="active", limit=_PLANS)):
        kept_as_said = memory.predicate == NO_SLOT and ahead(memory.text, now)
        is_over = memory.expires_at is not None and memory.expires_at <= now
        if (kept_as_said or predicate_of(memory.predicate) in _PLANNED) and not is_over:
            shared = len(words & _content_words(f"{memory.subject} {memory.text}"))
            sharing.append((shared, memory))
    most = max((shared for shared, _ in sharing), default=0)
    best = [memory for shared, memory in sharing if shared == most > 0]
    return best[0] if len(best) == 1 else None


def _change_plan(plan: Memory, sentence: str, turn: Turn) -> Candidate | None:
    text = sentence.strip(" .。!！")
    change = replace(_like(plan, text), sources=(turn.id,))
    spans = find_times(_BEFORE.split(sentence)[0], turn.at)
    day = spans[-1].text if spans else ""
    if _says("plan_moved", sentence) and day:
        value = text if plan.predicate == NO_SLOT else day
        return add_dates(replace(change, value=value, is_update=True), turn.at)
    return replace(change, withdraws=True) if _says("plan_off", sentence) else None


# --- what is known -------------------------------------------------------------------------------


def _near(unit: Unit, text: str, now: datetime) -> Sequence[Memory]:
    """What is known and shares words with a text."""
    scope = Scope(("memory",), status="active", now=now)
    matches = unit.text.search(query_terms(text), scope, _NEAR).matches
    records = unit.text.records([match.doc for match in matches])
    return unit.memories.by_id([records[match.doc][1] for match in matches])


def _content_words(text: str) -> frozenset[str]:
    return frozenset(term.text for term in query_terms(text) if term.weight > STOP_WEIGHT)
