"""One message, sentence by sentence: which of its clauses say something, and what."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, takewhile
from typing import TYPE_CHECKING

from mnemic.language.extract.clauses import Completer
from mnemic.language.extract.corrections import corrected, correction
from mnemic.language.extract.dates import NO_SLOT, names_a_time
from mnemic.language.extract.entries import USER, Scope
from mnemic.language.extract.languages import Patterns
from mnemic.language.extract.people import REACHED_AT, KnownPeople, People, Subject, attributed
from mnemic.language.extract.products import find_product
from mnemic.language.extract.sentences import GAP, HAN, Sentence, Splitter, is_brief
from mnemic.language.extract.statements import StatementReader
from mnemic.language.extract.traps import Instructions, Traps
from mnemic.language.extract.wording import told_apart, word_alone
from mnemic.types import Candidate

if TYPE_CHECKING:
    from mnemic.language.extract import Worth

LONGEST = 140  # characters of a statement: more is a passage
_FEWEST = 4, 3  # Han characters or words of what may be kept
LOOKBACK = 20  # messages of the user searched for what a correction corrects
_MAY_BE_PLANNED = frozenset({"decision", "deadline", "schedule", "trip", "goal", "plan"})
_ALWAYS_HOLDS = frozenset({"birthday", "from", "deadline", "decision", "name"})
_OTHERS = ("other", "person")
_NEVER_DENIED = frozenset({"dislikes", "rule", "decision", "has", "event", "is"})  # said otherwise
_TOPIC = re.compile(r"([A-Za-z][\w.-]*) ?(?=[\u4e00-\u9fff])")
_DATED = ("schedule", "deadline")  # said of a thing by its own name, whoever was spoken of before


class MessageReader:
    """Reads messages by a set of patterns."""

    def __init__(self, patterns: Patterns) -> None:
        self._patterns, self._phrases = patterns, patterns.phrases
        self._splitter = Splitter(patterns.phrases)
        self._traps = Traps(patterns.phrases)
        self._completer = Completer(patterns)
        self._statements = StatementReader(patterns.values)
        self._people = People(patterns)
        self._instructions = Instructions(patterns.phrases)

    def read(
        self,
        text: str,
        before: Sequence[str] = (),
        people: KnownPeople | None = None,
        worth: Worth | None = None,
    ) -> list[Candidate]:
        """What a message says; ``before`` are the user's earlier ones, oldest first, ``people`` are
        known already.
        """
        candidates: list[Candidate] = []
        earlier, last, play, people = "", "", False, people or KnownPeople()
        for sentence in self._splitter.sentences(text):
            opens_play = self._traps.opens_play(sentence.text)
            stating = self._traps.before_order(sentence) if opens_play else sentence
            some: list[Candidate] = []
            if stating and not play:
                some += self._sentence(stating, candidates, before, earlier, people)
            play = play or opens_play
            if worth and not opens_play:
                some += self._worth_keeping(sentence, last, worth, some)
            for one in some:
                if not any(_same(one, other) for other in candidates):
                    said = (x for x in candidates if x.predicate == NO_SLOT and not x.asked)
                    parts = [x for x in said if x.text in one.text]
                    candidates = [*(x for x in candidates if x not in parts), one]
            if play and not worth:
                break
            last = sentence.text
            earlier += " " + sentence.text
        return self._people.without_unnamed(candidates)

    def _sentence(
        self,
        sentence: Sentence,
        candidates: Sequence[Candidate],
        before: Sequence[str],
        earlier: str,
        people: KnownPeople,
    ) -> Iterator[Candidate]:
        text = self._phrases("agreed_to").sub("", sentence.text)
        if text == GAP or self._phrases("secret").search(text):
            return
        requested = self._requested(text)
        really = not text.endswith(("?", "？")) or self._phrases("request").match(text)
        if requested and really and GAP not in requested:
            yield from self._asked_for(requested)
            return
        clauses = self._splitter.clauses(text)
        stated = self._traps.stated(text, clauses)
        if not self._traps.not_meant(text):
            yield from self._taken_for_granted([one for one in clauses if one not in stated])
        if not stated:
            return
        put_right = self._put_right(text, stated, candidates, before)
        if put_right:
            yield put_right
            return
        if self._traps.not_meant(text):
            return
        whole = len(stated) == len(sentence.clauses)
        rule = self._rule(self._completer.without_lead(text)) if whole else None
        if rule:
            ruled, rule, stated = self._told_behind(text, rule, stated)
            yield replace(rule, text=self._tidy(ruled))
        for one in self._clauses(stated, before, earlier, people):
            yield self._whose(one, text)

    def _worth_keeping(
        self, sentence: Sentence, before: str, worth: Worth, known: Sequence[Candidate]
    ) -> Iterator[Candidate]:
        """Statements without a slot: what a sentence states beside what is known of it. Two things
        that are each worth it are told apart; what leans on the sentence ``before`` is kept with
        that one. What hangs on a condition is none.
        """
        if self._phrases("secret").search(sentence.text) or self._traps.not_meant(sentence.text):
            return
        sure = takewhile(lambda clause: not self._traps.conditional(clause), sentence.clauses)
        stated = set(self._traps.stated(sentence.text, sentence.clauses)).intersection(sure)
        # Of an end alone nothing is kept: what the sentence says beside it may be worth it.
        if len(stated) < 2 or not all(one.withdraws for one in known):
            stated -= {one for one in stated if any(_tells(c, self._tidy(one)) for c in known)}
        for part in _stretches(sentence, stated):
            if len(part) > LONGEST or GAP in part or is_brief(part, *_FEWEST) or not worth(part):
                continue
            if self._phrases("leans").match(self._completer.without_lead(part)):
                joint = "" if HAN.search(part) else " "
                whole = f"{before}{joint}{self._tidy(part)}"
                if before and len(whole) <= LONGEST and GAP not in before:
                    yield self._statement(whole)
                continue
            for one in told_apart(part, worth):
                yield self._statement(self._tidy(one))

    def _whose(self, candidate: Candidate, sentence: str) -> Candidate:
        """A contact in a request is that of the person whom it names: "send it to my boss at …"."""
        if candidate.predicate not in REACHED_AT or candidate.subject != USER:
            return candidate
        person = self._people.reached(sentence.partition(candidate.value)[0])
        if person is None:
            return candidate
        return word_alone(replace(candidate, subject=person.called, text=self._tidy(sentence)))

    def _put_right(
        self,
        text: str,
        stated: Sequence[str],
        candidates: Sequence[Candidate],
        before: Sequence[str],
    ) -> Candidate | None:
        """A correction, perhaps with a word of explanation: "no, it's the 13th, I misread it"."""
        for part in dict.fromkeys((text, ", ".join(stated[:2]), stated[0])):
            value, old = correction(part, self._patterns)
            if value:
                return corrected(value, old, self._latest(candidates, before), self._patterns)
        return None

    def _clauses(
        self, stated: Sequence[str], before: Sequence[str], earlier: str, people: KnownPeople
    ) -> Iterator[Candidate]:
        completer = self._completer
        about = ""  # whom the clause before was about
        rule, alone = None, list[str]()  # a sentence has one rule, with all that says nothing else
        named = False  # whether the clause before named somebody
        doubtful = False  # whether the clause before was only a thought
        joined = list(completer.settled(completer.greeted(completer.apposed(stated))))
        for number, clause in enumerate(joined):
            if self._traps.conditional(clause):
                return
            lead = (
                clause if self._phrases("greets").match(clause) else completer.without_lead(clause)
            )
            usual = completer.usual_words(lead)
            subject = self._people.gone_on_with(usual, people) if named else None
            whole = usual if subject else completer.with_subject(usual, about, first=not number)
            left_out, doubted = whole != usual, doubtful
            doubtful = self._traps.unsure(clause)
            if left_out and doubted:
                doubtful = True  # "I'd speak five languages and live in Kyoto"
                continue
            subject = subject or self._people.subject(whole, people)
            silent = about in _OTHERS and not self._phrases("first_person").search(whole)
            if subject:
                some = self._about_somebody(subject, whole, clause, stated, people)
            else:
                some = [] if silent and about == "other" else self._clause(whole, clause, stated)
                some = [one for one in some if not silent or one.predicate in _DATED]
            denied = self._denied(subject, whole) if people.remembered else []
            some = [one for one in some if not any(_denies(no, one) for no in denied)] or denied
            if not some and not number and len(joined) > 1:
                some = completer.named_self(whole, joined[1])
            some = _with_new(some, self._mentions(lead, clause, stated, subject))
            if subject is not None and not any(one.subject != USER for one in some):
                some += self._said_of(subject, clause, stated, "open")
            elif not some and not silent:
                some = self._clause(whole, clause, stated, "open")
            self._people.meet(some, people)
            plain = clause if names_a_time(clause.removesuffix(lead)) else lead
            said = subject.text if subject else whole
            said = said[: -len(usual)] + plain if said.endswith(usual) else said  # as written
            for one in some:
                complete = (
                    one if one.subject else self._named(one, before, earlier, joined[:number])
                )
                if complete:
                    topic = _topic(complete, said, joined[:number])
                    yield replace(complete, text=topic + self._tidy(said))
            about = "person" if subject else completer.subject_of(some, whole, about)
            goes_on = named and self._phrases("attribute_only").fullmatch(clause) is not None
            kin = any(one.predicate != "pet" for one in self._people.named_in(some))
            named = bool(subject) or goes_on or kin
            if not some:
                rule = rule or self._clause_rule(clause, joined)
                alone.append(clause)
        if rule:
            joint = "，" if HAN.search(alone[0]) else ", "
            yield replace(rule, text=self._tidy(joint.join(alone)))

    def _clause(
        self, whole: str, clause: str, stated: Sequence[str], scope: Scope = "clause"
    ) -> list[Candidate]:
        """What the first pattern that fits a clause says, as far as it holds."""
        for own in self._completer.in_own_words(whole):
            entries = list(self._patterns.entries(scope, own))
            for shorter in self._completer.shortened(own) if entries else ():
                for entry in entries:
                    match = entry.matcher.fullmatch(shorter)
                    candidates = self._statements.statements(entry, match) if match else []
                    if candidates:
                        return [one for one in candidates if self._holds(one, clause, stated)]
        return []

    def _denied(self, subject: Subject | None, whole: str) -> list[Candidate]:
        """The end of what a clause says is not so, for whoever knows it."""
        for own in subject.clauses if subject else (whole,):
            for said in self._completer.affirmed(own):
                read = self._clause(said, said, (said,))
                if subject:
                    read = [x for x in (attributed(one, subject.person) for one in read) if x]
                ended = [
                    replace(one, withdraws=True, is_update=False)
                    for one in read
                    if one.value and _is_whole(said, one.value)
                ]
                if ended:
                    return [one for one in ended if one.predicate not in _NEVER_DENIED]
        return []

    def _about_somebody(
        self, subject: Subject, whole: str, clause: str, stated: Sequence[str], people: KnownPeople
    ) -> list[Candidate]:
        """What a clause says of somebody of the speaker's life."""
        people.meet(subject.person)
        some = self._said_of(subject, clause, stated, "clause")
        named = subject.text == whole
        return some or (self._clause(whole, clause, stated) if named else [])

    def _said_of(
        self, subject: Subject, clause: str, stated: Sequence[str], scope: Scope
    ) -> list[Candidate]:
        for own in subject.clauses:
            read = self._clause(own, clause, stated, scope)
            some = [one for one in (attributed(x, subject.person) for x in read) if one]
            if some:
                return some
        return []

    def _taken_for_granted(self, asked: Sequence[str]) -> Iterator[Candidate]:
        """Whom a question speaks of: in "what can I give my husband Owen?" there is one."""
        for clause in asked:
            for one in self._people.named_in(self._mentions(clause, clause, asked)):
                yield replace(one, text=self._tidy(clause))

    def _mentions(
        self, whole: str, clause: str, stated: Sequence[str], subject: Subject | None = None
    ) -> list[Candidate]:
        """What a clause says in passing, wherever it stands: "with my husband Owen"."""
        candidates: list[Candidate] = []
        for entry in self._patterns.entries("mention", whole):
            for match in entry.matcher.finditer(whole):
                found = self._statements.statements(entry, match)
                candidates += [one for one in found if self._holds(one, clause, stated)]
        if subject is None:
            return candidates
        reached = (
            attributed(one, subject.person) if one.predicate in REACHED_AT else one
            for one in candidates
        )
        return [one for one in reached if one]

    def _holds(self, candidate: Candidate, clause: str, stated: Sequence[str]) -> bool:
        """Whether it is true now and meant: not a plan, a habit of old, or part of an order."""
        if self._traps.orders(clause):
            return False
        if candidate.predicate not in _MAY_BE_PLANNED and self._traps.unsure(clause):
            return False
        if candidate.is_update or candidate.withdraws or candidate.predicate in _ALWAYS_HOLDS:
            return not self._phrases("not_done").search(clause)
        return not self._traps.past(clause)

    def _rule(self, sentence: str, *, part: bool = False) -> Candidate | None:
        """A rule for the assistant, or the end of one; of a ``part`` only what is nothing else."""
        for entry in self._patterns.entries("sentence", sentence):
            if part and not entry.part:
                continue
            match = entry.matcher.fullmatch(sentence)
            candidates = self._statements.statements(entry, match) if match else []
            if candidates:
                rule = candidates[0]
                meant = rule.asked or rule.kind != "rule" or self._instructions.asks(sentence)
                return rule if meant and GAP not in rule.value else None
        return None

    def _told_behind(
        self, text: str, rule: Candidate, stated: Sequence[str]
    ) -> tuple[str, Candidate, tuple[str, ...]]:
        """A rule without the clauses behind it that tell something of their own, and these: "answer
        in metric, I'm allergic to pollen too". A time or a condition is the rule's.
        """

        def is_told(clause: str) -> bool:
            limits = names_a_time(clause) or self._traps.conditional(clause)
            own = self._completer.without_lead(clause)
            return not limits and any(not x.asked for x in self._clause(own, clause, stated))

        told = tuple(takewhile(is_told, reversed(stated[1:])))[::-1]
        ruled = text[: text.rfind(told[0])] if told else text
        alone = self._rule(self._completer.without_lead(ruled.strip(" ,，;；"))) if told else None
        return (ruled, alone, told) if alone else (text, rule, ())

    def _clause_rule(self, clause: str, stated: Sequence[str]) -> Candidate | None:
        """A rule in a sentence that tells something else as well."""
        if len(stated) < 2 or self._traps.orders(stated[0]):
            return None
        rule = self._rule(self._completer.without_lead(clause), part=True)
        lasting = rule and (rule.duration == "permanent" or rule.withdraws)
        return rule if lasting else None

    def _requested(self, sentence: str) -> str:
        """What somebody asks to be remembered, empty if he asks nothing of the kind."""
        for entry in self._patterns.entries("request", sentence):
            match = entry.matcher.fullmatch(sentence)
            if match:
                return self._statements.requested(entry, match)
        return ""

    def _asked_for(self, requested: str) -> Iterator[Candidate]:
        """What somebody asked to be remembered: by its slot, or else as it was said."""
        candidates = list(self._clauses(self._splitter.clauses(requested), (), "", KnownPeople()))
        if candidates:
            for one in candidates:
                yield replace(one, asked=True)
            return
        note = self._rule(requested) or self._note(requested.strip(" .。!！，,"))
        yield replace(note, asked=True, text=self._tidy(requested))

    def _note(self, text: str) -> Candidate:
        """What was asked to be remembered and has no slot of its own."""
        for entry in self._patterns.entries("note", text):
            match = entry.matcher.fullmatch(text)
            candidates = self._statements.statements(entry, match) if match else []
            if candidates:
                return candidates[0]
        return self._statement(text)

    def _statement(self, text: str) -> Candidate:
        """What is kept as it was said, without a slot."""
        value = self._patterns.values.clean(text)
        return Candidate("fact", text, subject=USER, predicate=NO_SLOT, value=value)

    def _named(
        self, candidate: Candidate, before: Sequence[str], earlier: str, clauses: Sequence[str]
    ) -> Candidate | None:
        """A version without a product is of the product last spoken of."""
        name = find_product(" ".join([earlier, *clauses]))
        if not name:
            versions = (x.subject for x in self._latest((), before) if x.predicate == "version")
            name = next(versions, "")
        if not name:
            return None
        return replace(self._statements.version(name, candidate.value), is_update=True)

    def _latest(
        self, candidates: Sequence[Candidate], before: Sequence[str]
    ) -> Iterator[Candidate]:
        """What was said before, newest first."""
        yield from reversed(candidates)
        for text in reversed(before[-LOOKBACK:]):
            yield from reversed(self.read(text))

    def _tidy(self, text: str) -> str:
        short = len(text) < 6
        return self._patterns.values.clean(text) if short else text.strip(" ,，;；:：.。!！~～")


def _topic(candidate: Candidate, said: str, clauses: Sequence[str]) -> str:
    """The name that begins a sentence, left out by its later clauses: "orchid 用 Rust 写，…"."""
    topic = _TOPIC.match(clauses[0]) if clauses and candidate.subject == "project" else None
    return f"{topic[1]} " if topic and topic[1] not in said else ""


def _tells(candidate: Candidate, clause: str) -> bool:
    """Whether a candidate has what a clause says."""
    value, text = candidate.value.lower(), candidate.text
    return clause in text or text in clause or bool(value and value in clause.lower())


def _stretches(sentence: Sentence, clauses: Collection[str]) -> Iterator[str]:
    """The given clauses of a sentence, those that follow each other in one piece, unless it is too
    long.
    """
    runs = groupby(sentence.clauses, lambda clause: clause in clauses)
    for run in (list(run) for given, run in runs if given):
        start = sentence.text.find(run[0])
        end = sentence.text.find(run[-1], start) + len(run[-1])
        piece = sentence.text[start:end]
        if len(piece) > LONGEST:
            yield from run
        else:
            yield sentence.text if len(run) == len(sentence.clauses) else piece


def _with_new(some: Sequence[Candidate], more: Sequence[Candidate]) -> list[Candidate]:
    """Both, without what the first say already."""
    said = {(one.predicate, one.value) for one in some}
    dated = {one.predicate for one in some if one.predicate in ("schedule", "deadline", "trip")}
    new = (one for one in more if (one.predicate, one.value) not in said)
    return [*some, *(one for one in new if not dated or one.predicate != "schedule")]


def _is_whole(clause: str, value: str) -> bool:
    """Whether nothing limits the value: "I don't work at Bosch on Fridays" denies no job."""
    behind = clause.lower().rpartition(value.lower())[2]
    return (
        not behind.strip() or HAN.search(clause) is not None or value.lower() not in clause.lower()
    )


def _denies(no: Candidate, one: Candidate) -> bool:
    """Whether a statement is what a denial says, misread: 虾不 of 对虾不过敏."""
    return (no.subject, no.predicate) == (one.subject, one.predicate) and not one.withdraws


def _same(one: Candidate, other: Candidate) -> bool:
    return (one.subject, one.predicate, one.value, one.withdraws) == (
        other.subject,
        other.predicate,
        other.value,
        other.withdraws,
    )
