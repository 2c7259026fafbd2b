"""Clauses made whole: whom each is about, and the few wordings that mean the same made one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mnemic.language.extract.dates import only_a_time
from mnemic.language.extract.entries import USER
from mnemic.language.extract.languages import Patterns
from mnemic.language.extract.products import product
from mnemic.language.extract.sentences import HAN
from mnemic.types import Candidate

_I = re.compile(r"[Ii] (?=[a-z])")
_MOST_CUTS = 6  # what trails is left off at so many places
_FINAL = re.compile(r"(?<=[\u4e00-\u9fff\w])[啦咯喽]+$")  # for 了
_PARTICLE = re.compile(r"(?<=[\u4e00-\u9fff\w])[呀哦哈啊嘛呗哟噢喔]+$")
_HAN_GAP = re.compile(r"(?<=[\u4e00-\u9fff]) +| +(?=[\u4e00-\u9fff])")
_I_AM = re.compile(r"(?:[Ii]'m|[Ii] am|[Ii]m) ([A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15})?)")


def _with_comma(clause: str, rest: str) -> str:
    return f"{clause}{'，' if HAN.search(clause) else ', '}{rest}"


class Completer:
    """Gives clauses the subject they leave out."""

    def __init__(self, patterns: Patterns) -> None:
        self._patterns, self._phrases = patterns, patterns.phrases
        self._singular, self._foreign = map(patterns.table, ("singular", "foreign"))
        words = "|".join(map(re.escape, sorted(self._singular, key=len, reverse=True)))
        self._we = re.compile(rf"^(?:{words or '(?!)'})(?![A-Za-z])", re.I)
        self._foreign_word = re.compile(
            rf"(?<![A-Za-z])(?:{'|'.join(self._foreign)})(?![A-Za-z])(?=[\u4e00-\u9fff]|$)", re.I
        )

    def read_own_name(self, clause: str, following: str) -> list[Candidate]:
        """The name in "I'm Priya, I run the design team": more about the speaker follows."""
        match = _I_AM.fullmatch(clause)
        if not match or not self._phrases("goes_on").match(following) or product(match[1]):
            return []
        if not self._patterns.values.person(match[1]):
            return []
        return [Candidate("identity", "", subject=USER, predicate="name", value=match[1])]

    def complete(self, stated: Iterable[str]) -> list[str]:
        """The clauses with what marks cut off, in the words in which they are decided."""
        return list(self._restore_decisions(self._join_greetings(self._join_parts(stated))))

    def _restore_decisions(self, stated: Iterable[str]) -> Iterator[str]:
        """Decisions said to be such: "we'll use SQLite, that's final", "it's settled, we wait"."""
        parts = list(stated)
        for number, clause in enumerate(parts):
            following = parts[number + 1] if number + 1 < len(parts) else ""
            before = parts[number - 1] if number else ""
            final = self._phrases("that_is_final")
            if final.fullmatch(following) or self._phrases("made_up_minds").fullmatch(before):
                bare = self._phrases("will").sub("", clause, count=1)
                yield f"决定{bare}" if HAN.search(clause) else f"we decided to {bare}"
            elif not final.fullmatch(clause):
                yield clause

    def _join_parts(self, stated: Iterable[str]) -> Iterator[str]:
        """Clauses with what a comma cut off: the names of "two cats, Miso and Tofu", the parts of
        an address, the time before it.
        """
        parts = list(stated)
        names, attribute = self._phrases("names_only"), self._phrases("attribute_only")
        begun, address = self._phrases("address_begun"), self._phrases("address_part")
        while parts:
            clause = parts.pop(0)
            if parts and only_a_time(clause):
                clause = _with_comma(clause, parts.pop(0))
            if parts and self._phrases("bare_person").fullmatch(clause) and _I.match(parts[0]):
                clause = f"{clause} and {parts.pop(0)}"
            if self._phrases("takes_names").fullmatch(clause) and not attribute.fullmatch(clause):
                # "a cat, a black one, called Soot": what stands between follows the name
                between = bool(parts) and bool(attribute.fullmatch(parts[0]))
                if len(parts) > between and names.fullmatch(parts[between]):
                    called = "叫" if HAN.search(clause) else " called "
                    called = "" if "叫" in parts[between] else called
                    clause = f"{clause}{called}{parts.pop(between)}"
            while parts and begun.match(clause) and address.fullmatch(parts[0]):
                clause = _with_comma(clause, parts.pop(0))
            yield clause

    def _join_greetings(self, stated: Iterable[str]) -> Iterator[str]:
        """A greeting with what follows it: in "Hi, I'm Ann" that is a name."""
        greeting = ""
        for clause in stated:
            if self._phrases("greeting").fullmatch(clause):
                greeting = f"{clause}, "
            else:
                joined = greeting + clause
                yield joined if self._phrases("greets").match(joined) else clause
                greeting = ""

    def subject_of(self, candidates: Sequence[Candidate], clause: str, before: str) -> str:
        """Whom a clause is about: user, pet, other, or nobody in particular."""
        if any(fact.predicate == "pet" for fact in candidates):
            return "pet"
        if self._phrases("others").match(clause):
            return "other"
        if any(fact.subject == USER for fact in candidates) or self._phrases("me").match(clause):
            return "user"
        return "other" if before == "other" else ""

    def without_lead(self, clause: str) -> str:
        """A clause without the words that only lead up to it: "by the way", "其实"."""
        lead = self._phrases("lead").match(clause)
        rest = clause[lead.end() :] if lead else clause
        return rest or clause

    def with_subject(self, clause: str, about: str, *, first: bool) -> str:
        """A clause that leaves out its subject, with that of the clause before it."""
        if first and self._phrases("clearly_mine").match(clause):
            about = "user"
        for language in self._patterns.languages:
            for rule in language.complete:
                mine = rule.after == "own" and about in ("", "user")
                if (mine or rule.after in ("any", about)) and (match := rule.match.match(clause)):
                    return rule.put + clause[match.end() :]
        return clause

    def affirm(self, clause: str) -> Iterator[str]:
        """What a clause denies, said as if it were so: "I'm not a smoker" denies "I'm a smoker"."""
        for language in self._patterns.languages:
            if not language.reads.match(clause):
                continue
            for rule in language.affirm:
                for match in rule.match.finditer(clause):
                    positive = (
                        f"{clause[: match.start()]}{match.expand(rule.put)}{clause[match.end() :]}"
                    )
                    yield self._phrases("denial_end").sub("", " ".join(positive.split()))

    def to_first_person(self, clause: str) -> tuple[str, ...]:
        """A clause, and the same said of "I" where it says "we"."""
        singular = self._we.sub(lambda match: self._singular[match.group().lower()], clause)
        return (clause,) if singular == clause else (clause, singular)

    def shorten(self, clause: str) -> Iterator[str]:
        """A clause, and then without what trails behind, the longest first."""
        yield clause
        ends = [match.start() for match in self._phrases("trailing").finditer(clause)]
        for end in reversed(ends[-_MOST_CUTS:]):
            yield clause[:end]

    def usual_words(self, clause: str) -> str:
        """Wordings that mean the same made one: "I've been using" is "I'm using", and "on Mondays I
        swim" is "I swim on Mondays".
        """
        front = self._phrases("front_time").match(clause)
        if front:
            clause = f"{clause[front.end() :]} {front.group().strip(' ,').lower()}"
        for language in self._patterns.languages:
            for rule in language.rewrite:
                if match := rule.match.match(clause):
                    return rule.put + clause[match.end() :]
        if not HAN.search(clause) or self._phrases("english_start").match(clause):
            return clause
        plain = _FINAL.sub("了", _PARTICLE.sub("", _HAN_GAP.sub("", clause)))
        return self._foreign_word.sub(lambda match: self._foreign[match.group().lower()], plain)
