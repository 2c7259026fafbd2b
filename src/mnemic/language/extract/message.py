"""One message, sentence by sentence: which of its clauses say something, and what."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, takewhile
from operator import attrgetter
from typing import TYPE_CHECKING

from mnemic.language.extract.clauses import Completer
from mnemic.language.extract.corrections import correct_latest, read_correction
from mnemic.language.extract.dates import NO_SLOT, names_a_time
from mnemic.language.extract.entries import USER, Entry, Scope
from mnemic.language.extract.languages import Patterns, load_patterns
from mnemic.language.extract.people import REACHED_AT, KnownPeople, People, Subject, attribute
from mnemic.language.extract.products import find_product
from mnemic.language.extract.sentences import GAP, HAN, Sentence, Splitter, is_brief
from mnemic.language.extract.statements import StatementReader
from mnemic.language.extract.traps import Instructions, Traps
from mnemic.language.extract.wording import split_statement, word_alone
from mnemic.rules.importance import DOUBTED_CONFIDENCE
from mnemic.types import Candidate

if TYPE_CHECKING:
    from mnemic.language.extract import Worth

LONGEST = 140  # characters of a statement: more is a passage
_DOUBTFUL = 0.2  # share of what is asked of a sentence below which a rule is put to the user
_FEWEST = 4, 3  # Han characters or words of what may be kept
LOOKBACK = 20  # messages of the user searched for what a correction corrects
_MAY_BE_PLANNED = frozenset({"decision", "deadline", "schedule", "trip", "goal", "plan"})
_ALWAYS_HOLDS = frozenset({"birthday", "from", "deadline", "decision", "name"})
_OTHERS = ("other", "person")
_NEVER_DENIED = frozenset({"dislikes", "rule", "decision", "has", "event", "is"})  # said otherwise
_TOPIC = re.compile(r"([A-Za-z][\w.-]*) ?(?=[\u4e00-\u9fff])")
_claim_of = attrgetter("subject", "predicate", "value", "withdraws")
_DATED = ("schedule", "deadline")  # said of a thing by its own name, whoever was spoken of before


class MessageReader:
    """Reads messages by a set of patterns."""

    def __init__(self, patterns: Patterns) -> None:
        self._patterns, self._phrases = patterns, patterns.phrases
        self._doubts = patterns is load_patterns()  # what somebody's own patterns find is wanted
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
        for sentence in self._splitter.split_sentences(text):
            opens_play = self._traps.opens_play(sentence.text)
            stating = self._traps.before_order(sentence) if opens_play else sentence
            facts: list[Candidate] = []
            if stating and not play:
                facts += self._read_sentence(stating, candidates, before, earlier, people)
                if worth and self._doubts:
                    facts = [_doubt(fact, sentence, worth) for fact in facts]
            play = play or opens_play
            if worth and not opens_play:
                facts += self._find_worthy(sentence, last, worth, facts)
            for fact in facts:
                if _claim_of(fact) not in map(_claim_of, candidates):
                    loose = (
                        old for old in candidates if old.predicate == NO_SLOT and not old.asked
                    )
                    parts = [old for old in loose if old.text in fact.text]
                    candidates = [*(old for old in candidates if old not in parts), fact]
            if play and not worth:
                break
            last = sentence.text
            earlier += " " + sentence.text
        return self._people.drop_unnamed(candidates)

    def _read_sentence(
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
        request = self._find_request(text)
        really = not text.endswith(("?", "？")) or self._phrases("request").match(text)
        if request and really and GAP not in request:
            yield from self._read_request(request)
            return
        clauses = self._splitter.split_clauses(text)
        stated = self._traps.keep_stated(text, clauses)
        if not self._traps.not_meant(text):
            yield from self._find_people([clause for clause in clauses if clause not in stated])
        if not stated:
            return
        correction = self._read_correction(text, stated, candidates, before)
        if correction:
            yield correction
            return
        if self._traps.not_meant(text):
            return
        all_stated = len(stated) == len(sentence.clauses)
        rule = self._find_rule(self._completer.without_lead(text)) if all_stated else None
        if rule:
            wording, rule, stated = self._split_rule(text, rule, stated)
            yield replace(rule, text=self._tidy(wording))
        for candidate in self._read_clauses(stated, before, earlier, people):
            yield self._attribute_contact(candidate, text)

    def _find_worthy(
        self, sentence: Sentence, before: str, worth: Worth, facts: Sequence[Candidate]
    ) -> Iterator[Candidate]:
        """Statements without a slot: what a sentence states beside the ``facts`` in it. Two things
        that are each worth it are split; what leans on the sentence ``before`` is kept with that
        one. What hangs on a condition is none.
        """
        if self._phrases("secret").search(sentence.text) or self._traps.not_meant(sentence.text):
            return
        sure = takewhile(lambda clause: not self._traps.conditional(clause), sentence.clauses)
        stated = set(self._traps.keep_stated(sentence.text, sentence.clauses)).intersection(sure)
        # Of an end alone nothing is kept: what the sentence says beside it may be worth it.
        if len(stated) < 2 or not all(fact.withdraws for fact in facts):
            stated = {clause for clause in stated if not _is_told(self._tidy(clause), facts)}
        for stretch in _cut_stretches(sentence, stated):
            brief = len(stretch) > LONGEST or is_brief(stretch, *_FEWEST)
            if brief or GAP in stretch or not worth(stretch):
                continue
            if self._phrases("leans").match(self._completer.without_lead(stretch)):
                joint = "" if HAN.search(stretch) else " "
                text = f"{before}{joint}{self._tidy(stretch)}"
                if before and len(text) <= LONGEST and GAP not in before:
                    yield self._make_statement(text)
                continue
            for statement in split_statement(stretch, worth):
                yield self._make_statement(self._tidy(statement))

    def _attribute_contact(self, candidate: Candidate, sentence: str) -> Candidate:
        """A contact in a request is that of the person whom it names: "send it to my boss at …"."""
        if not _is_contact(candidate):
            return candidate
        person = self._people.find_contact(sentence.partition(candidate.value)[0])
        if person is None:
            return candidate
        return word_alone(replace(candidate, subject=person.called, text=self._tidy(sentence)))

    def _read_correction(
        self,
        text: str,
        stated: Sequence[str],
        candidates: Sequence[Candidate],
        before: Sequence[str],
    ) -> Candidate | None:
        """A correction, perhaps with a word of explanation: "no, it's the 13th, I misread it"."""
        for wording in dict.fromkeys((text, ", ".join(stated[:2]), stated[0])):
            value, old = read_correction(wording, self._patterns)
            if value:
                latest = self._list_latest(candidates, before)
                return correct_latest(value, old, latest, self._patterns)
        return None

    def _read_clauses(
        self, stated: Sequence[str], before: Sequence[str], earlier: str, people: KnownPeople
    ) -> Iterator[Candidate]:
        about = ""  # whom the clause before was about
        rule, alone = None, list[str]()  # a sentence has one rule, with all that says nothing else
        named = False  # whether the clause before named somebody
        doubtful = False  # whether the clause before was only a thought
        clauses = self._completer.complete(stated)
        for number, clause in enumerate(clauses):
            if self._traps.conditional(clause):
                return
            greets = self._phrases("greets").match(clause)
            lead = clause if greets else self._completer.without_lead(clause)
            usual = self._completer.usual_words(lead)
            subject = self._people.continue_with(usual, people) if named else None
            full = (
                usual if subject else self._completer.with_subject(usual, about, first=not number)
            )
            left_out, doubted = full != usual, doubtful
            doubtful = self._traps.unsure(clause)
            if left_out and doubted:
                doubtful = True  # "I'd speak five languages and live in Kyoto"
                continue
            subject = subject or self._people.find_subject(full, people)
            silent = about in _OTHERS and not self._phrases("first_person").search(full)
            if subject:
                people.meet(subject.person)
                facts = self._read_about(subject, clause, "clause")
                if not facts and subject.text == full:
                    facts = self._read_clause(full, clause)
            else:
                facts = [] if silent and about == "other" else self._read_clause(full, clause)
                facts = [fact for fact in facts if not silent or fact.predicate in _DATED]
            denials = self._read_denial(subject, full) if people.remembered else []
            facts = _drop_denied(facts, denials) or denials
            if not facts and not number and len(clauses) > 1:
                facts = self._completer.read_own_name(full, clauses[1])
            facts = _add_new(facts, self._find_mentions(lead, clause, subject))
            if subject and all(fact.subject == USER for fact in facts):
                facts += self._read_about(subject, clause, "open")
            elif not facts and not silent:
                facts = self._read_clause(full, clause, "open")
            self._people.meet(facts, people)
            plain = clause if names_a_time(clause.removesuffix(lead)) else lead
            text = subject.text if subject else full
            text = text[: -len(usual)] + plain if text.endswith(usual) else text  # as written
            yield from self._complete(facts, text, before, [earlier, *clauses[:number]])
            about = "person" if subject else self._completer.subject_of(facts, full, about)
            goes_on = named and self._phrases("attribute_only").fullmatch(clause) is not None
            kin = any(fact.predicate != "pet" for fact in self._people.keep_people(facts))
            named = subject is not None or goes_on or kin
            if not facts:
                rule = rule or self._find_clause_rule(clause, clauses)
                alone.append(clause)
        if rule:
            joint = "，" if HAN.search(alone[0]) else ", "
            yield replace(rule, text=self._tidy(joint.join(alone)))

    def _read_clause(self, text: str, clause: str, scope: Scope = "clause") -> list[Candidate]:
        """What the first pattern that fits a clause says, as far as it holds."""
        for wording in self._completer.to_first_person(text):
            entries = list(self._patterns.entries(scope, wording))
            for shorter in self._completer.shorten(wording) if entries else ():
                if candidates := self._match(entries, shorter):
                    return [fact for fact in candidates if self._holds(fact, clause)]
        return []

    def _match(self, entries: Iterable[Entry], text: str) -> list[Candidate]:
        """What the first pattern that fits a text says of it."""
        for entry in entries:
            match = entry.matcher.fullmatch(text)
            if match and (candidates := self._statements.read_match(entry, match)):
                return candidates
        return []

    def _read_denial(self, subject: Subject | None, text: str) -> list[Candidate]:
        """The end of what a clause says is not so, for whoever knows it."""
        for wording in subject.clauses if subject else (text,):
            for positive in self._completer.affirm(wording):
                facts = self._read_clause(positive, positive)
                if subject:
                    facts = list(attribute(facts, subject.person))
                facts = [fact for fact in facts if fact.value and _is_whole(positive, fact.value)]
                if facts:
                    return [
                        replace(fact, withdraws=True, is_update=False)
                        for fact in facts
                        if fact.predicate not in _NEVER_DENIED
                    ]
        return []

    def _read_about(self, subject: Subject, clause: str, scope: Scope) -> list[Candidate]:
        """What a clause says of somebody of the speaker's life."""
        for wording in subject.clauses:
            candidates = self._read_clause(wording, clause, scope)
            if facts := list(attribute(candidates, subject.person)):
                return facts
        return []

    def _find_people(self, questions: Sequence[str]) -> Iterator[Candidate]:
        """Whom a question speaks of: in "what can I give my husband Owen?" there is one."""
        for clause in questions:
            for candidate in self._people.keep_people(self._find_mentions(clause, clause)):
                yield replace(candidate, text=self._tidy(clause))

    def _find_mentions(
        self, text: str, clause: str, subject: Subject | None = None
    ) -> list[Candidate]:
        """What a clause says in passing, wherever it stands: "with my husband Owen"."""
        mentions: list[Candidate] = []
        for entry in self._patterns.entries("mention", text):
            for match in entry.matcher.finditer(text):
                candidates = self._statements.read_match(entry, match)
                mentions += [fact for fact in candidates if self._holds(fact, clause)]
        if subject is None:
            return mentions
        called = subject.person.called
        return [replace(fact, subject=called) if _is_contact(fact) else fact for fact in mentions]

    def _holds(self, candidate: Candidate, clause: str) -> bool:
        """Whether it is true now and meant: not a plan, a habit of old, or part of an order."""
        if self._traps.orders(clause):
            return False
        if candidate.predicate not in _MAY_BE_PLANNED and self._traps.unsure(clause):
            return False
        if candidate.is_update or candidate.withdraws or candidate.predicate in _ALWAYS_HOLDS:
            return not self._phrases("not_done").search(clause)
        return not self._traps.past(clause)

    def _find_rule(self, sentence: str, *, partial: bool = False) -> Candidate | None:
        """A rule for the assistant, or the end of one; ``partial``: beside something else."""
        entries = self._patterns.entries("sentence", sentence)
        rules = self._match((entry for entry in entries if entry.part or not partial), sentence)
        if not rules or GAP in rules[0].value:
            return None
        rule = rules[0]
        meant = rule.asked or rule.kind != "rule" or self._instructions.asks(sentence)
        return rule if meant else None

    def _split_rule(
        self, text: str, rule: Candidate, stated: Sequence[str]
    ) -> tuple[str, Candidate, tuple[str, ...]]:
        """A rule without the clauses behind it that tell something of their own, and these: "answer
        in metric, I'm allergic to pollen too". A time or a condition is the rule's.
        """

        def tells(clause: str) -> bool:
            if names_a_time(clause) or self._traps.conditional(clause):
                return False
            facts = self._read_clause(self._completer.without_lead(clause), clause)
            return not all(fact.asked for fact in facts)

        tail = tuple(takewhile(tells, reversed(stated[1:])))[::-1]
        if tail:
            wording = text[: text.rfind(tail[0])]
            alone = self._find_rule(self._completer.without_lead(wording.strip(" ,，;；")))
            if alone:
                return wording, alone, tail
        return text, rule, ()

    def _find_clause_rule(self, clause: str, stated: Sequence[str]) -> Candidate | None:
        """A rule in a sentence that tells something else as well."""
        if len(stated) < 2 or self._traps.orders(stated[0]):
            return None
        rule = self._find_rule(self._completer.without_lead(clause), partial=True)
        lasting = rule and (rule.duration in ("", "permanent") or rule.withdraws)
        return rule if lasting else None

    def _find_request(self, sentence: str) -> str:
        """What somebody asks to be remembered, empty if he asks nothing of the kind."""
        for entry in self._patterns.entries("request", sentence):
            match = entry.matcher.fullmatch(sentence)
            if match:
                return self._statements.read_request(entry, match)
        return ""

    def _read_request(self, text: str) -> Iterator[Candidate]:
        """What somebody asked to be remembered: by its slot, or else as it was said."""
        clauses = self._splitter.split_clauses(text)
        candidates = list(self._read_clauses(clauses, (), "", KnownPeople()))
        if not candidates:
            note = self._find_rule(text) or self._make_note(text.strip(" .。!！，,"))
            candidates = [replace(note, text=self._tidy(text))]
        for candidate in candidates:
            yield replace(candidate, asked=True)

    def _make_note(self, text: str) -> Candidate:
        """What was asked to be remembered and has no slot of its own."""
        notes = self._match(self._patterns.entries("note", text), text)
        return notes[0] if notes else self._make_statement(text)

    def _make_statement(self, text: str) -> Candidate:
        """What is kept as it was said, without a slot."""
        value = self._patterns.values.clean(text)
        return Candidate("fact", text, subject=USER, predicate=NO_SLOT, value=value)

    def _complete(
        self, facts: Sequence[Candidate], text: str, before: Sequence[str], texts: Sequence[str]
    ) -> Iterator[Candidate]:
        """The facts of a clause with its text; ``texts`` are those before it in the message."""
        for fact in facts:
            named = fact if fact.subject else self._name_product(fact, before, texts)
            if named:
                yield replace(named, text=_find_topic(named, text, texts[1:]) + self._tidy(text))

    def _name_product(
        self, candidate: Candidate, before: Sequence[str], texts: Sequence[str]
    ) -> Candidate | None:
        """A version without a product is of the product last spoken of."""
        name = find_product(" ".join(texts))
        if not name:
            latest = self._list_latest((), before)
            name = next((old.subject for old in latest if old.predicate == "version"), "")
        if not name:
            return None
        return replace(self._statements.version(name, candidate.value), is_update=True)

    def _list_latest(
        self, candidates: Sequence[Candidate], before: Sequence[str]
    ) -> Iterator[Candidate]:
        """What was said before, newest first."""
        yield from reversed(candidates)
        for text in reversed(before[-LOOKBACK:]):
            yield from reversed(self.read(text))

    def _tidy(self, text: str) -> str:
        short = len(text) < 6
        return self._patterns.values.clean(text) if short else text.strip(" ,，;；:：.。!！~～")


def _doubt(fact: Candidate, sentence: Sentence, worth: Worth) -> Candidate:
    """A rule that does not say how long it holds and reads as meant for one answer waits."""
    stretch = fact.text if fact.text in sentence.text else sentence.text
    lasts = fact.kind != "rule" or fact.asked or fact.withdraws or fact.duration
    sure = lasts or worth(stretch, _DOUBTFUL)
    return fact if sure else replace(fact, confidence=DOUBTED_CONFIDENCE)


def _find_topic(candidate: Candidate, text: str, clauses: Sequence[str]) -> str:
    """The name that begins a sentence, left out by its later clauses: "orchid 用 Rust 写，…"."""
    topic = _TOPIC.match(clauses[0]) if clauses and candidate.subject == "project" else None
    return f"{topic[1]} " if topic and topic[1] not in text else ""


def _is_contact(candidate: Candidate) -> bool:
    return candidate.predicate in REACHED_AT and candidate.subject == USER


def _is_told(clause: str, facts: Iterable[Candidate]) -> bool:
    """Whether one of the facts has what a clause says."""
    return any(
        clause in fact.text
        or fact.text in clause
        or (fact.value and fact.value.lower() in clause.lower())
        for fact in facts
    )


def _cut_stretches(sentence: Sentence, clauses: Collection[str]) -> Iterator[str]:
    """The given clauses of a sentence, those that follow each other in one piece, unless it is too
    long.
    """
    runs = groupby(sentence.clauses, lambda clause: clause in clauses)
    for run in (list(run) for wanted, run in runs if wanted):
        start = sentence.text.find(run[0])
        end = sentence.text.find(run[-1], start) + len(run[-1])
        if end - start > LONGEST:
            yield from run
        else:
            yield sentence.text if len(run) == len(sentence.clauses) else sentence.text[start:end]


def _add_new(facts: Sequence[Candidate], more: Sequence[Candidate]) -> list[Candidate]:
    """Both, without what the first say already."""
    stated = {(fact.predicate, fact.value) for fact in facts}
    dated = any(fact.predicate in ("schedule", "deadline", "trip") for fact in facts)
    new = (fact for fact in more if (fact.predicate, fact.value) not in stated)
    return [*facts, *(fact for fact in new if not dated or fact.predicate != "schedule")]


def _is_whole(clause: str, value: str) -> bool:
    """Whether nothing limits the value: "I don't work at Bosch on Fridays" denies no job."""
    folded, value = clause.lower(), value.lower()
    behind = folded.rpartition(value)[2].strip()
    return not behind or HAN.search(clause) is not None or value not in folded


def _drop_denied(facts: Sequence[Candidate], denials: Sequence[Candidate]) -> list[Candidate]:
    """The facts without what a denial says, misread: 虾不 of 对虾不过敏."""
    denied = {(denial.subject, denial.predicate) for denial in denials}
    return [
        fact for fact in facts if fact.withdraws or (fact.subject, fact.predicate) not in denied
    ]
