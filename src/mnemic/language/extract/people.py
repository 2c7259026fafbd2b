"""Statements about somebody else: "my sister Ines works in Kiel" reads like "I work in Kiel".

A clause whose subject is a person of the speaker's life is put into the first person, read by the
same patterns, and what it says is then said of that person. "She" and "他" go on with the last one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from mnemic.language.extract.languages import Patterns, load_patterns
from mnemic.language.extract.sentences import HAN
from mnemic.rules.slots import subject_of
from mnemic.types import Candidate

# What can be said of somebody else as well as of oneself.
_SAID_OF_PEOPLE = frozenset(
    "name nickname age birthday job employer works_in lives_in from studies school major health"
    " medication allergy diet likes dislikes language native_language learning instrument vehicle"
    " hobby habit marital_status phone email wechat address pet trip".split()
)
REACHED_AT = frozenset({"phone", "email", "wechat"})
_FIRST_WORD = re.compile(r"('s|'re|'ve|'ll|[A-Za-z]+(?:'t)?)(?=$|[\s,'])")
_IRREGULAR = {
    "is": "am", "'s": "'m", "are": "am", "'re": "'m", "has": "have", "does": "do",
    "doesn't": "don't", "doesnt": "don't", "isn't": "am not", "aren't": "am not",
    "hasn't": "haven't", "was": "was",
}  # fmt: skip
_UNNAMED = re.compile(r"[a-z]+|[\u4e00-\u9fff]?[猫狗鸟兔鱼]")
_IS_IN = re.compile(r"I(?:'m| am) (?:still |now |back )?in (?=[A-Z])")
_ADVERB = re.compile(
    r"^(?:已经|其实|现在|今年|早就|后来|最近|刚|终于|确实|也|都|还|去年|上个?月|前年){1,3}"
)
_CONTRACTED = re.compile(r"^'s\b(?= (been|had|got)\b)?")
_OWN_THING = re.compile(r"'s (?:\w+ ){1,3}(?:is|are)\b")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of the speaker's life: the relation ("sister"), and the name where it was said."""

    relation: str
    name: str = ""
    words: str = field(default="", compare=False)  # as said: "my sister"

    @property
    def called(self) -> str:
        return self.name or self.relation.replace("_", " ")

    @property
    def spoken_of(self) -> str:
        """By name, or in the words of the speaker."""
        return self.name or self.words or self.called


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a clause is about, and the clause as that person would say it, in one way or two."""

    person: Person
    clauses: tuple[str, ...]
    text: str  # with the person named


class KnownPeople:
    """Those a message has spoken of so far. ``remembered``: there is a memory, of which a message
    may deny something.
    """

    def __init__(self, people: Iterable[Person] = (), *, remembered: bool = False) -> None:
        self.remembered = remembered
        self.last: Person | None = None
        self._by_name = {person.name: person for person in people if person.name}

    def meet(self, person: Person) -> None:
        self.last = person
        if person.name:
            self._by_name[person.name] = person

    def beginning(self, clause: str) -> tuple[Person, str] | None:
        """Who is named at the beginning of a clause, and the rest of it."""
        for name, person in self._by_name.items():
            rest = clause.removeprefix(name)
            if rest != clause and not (rest[:1].isascii() and rest[:1].isalnum()):
                return person, rest
        return None


class People:
    """Finds persons in clauses."""

    def __init__(self, patterns: Patterns) -> None:
        self._tables = patterns.table("relatives", "people", "elders")
        self._relatives = frozenset(patterns.table("relatives", "elders"))
        self._relations = frozenset(self._tables.values()) | {"pet"}
        self._phrases = patterns.phrases
        self._person_name = patterns.values.person

    def find_subject(self, clause: str, people: KnownPeople) -> Subject | None:
        """The person a clause begins with, if it does: by relation, by name, or as "she"."""
        match = self._phrases("person_subject").match(clause)
        if match:
            relation, name = (*filter(None, match.groups()), "")[:2]
            if name and not self._person_name(name):
                return None
            person = Person(self._relation(relation), name, match.group().strip(" ,，"))
            # Of a neighbour or a friend without a name nothing is worth keeping.
            near = name or relation.lower() in self._relatives
            clauses = _to_first_person(clause[match.end() :]) if near else ()
            return Subject(person, clauses, clause)
        named = people.beginning(clause)
        if named:
            return Subject(named[0], _to_first_person(named[1]), clause)
        return self._last(clause, people.last) if people.last else None

    def continue_with(self, clause: str, people: KnownPeople) -> Subject | None:
        """The person last spoken of, where a clause without a subject goes on with him."""
        last = people.last
        if last is None or not self._phrases("person_goes_on").match(clause):
            return None
        joint = "" if HAN.match(clause) else " "
        return Subject(last, _to_first_person(clause), f"{last.spoken_of}{joint}{clause}")

    def _last(self, clause: str, last: Person) -> Subject | None:
        """A clause about the person spoken of last, who is not named in it."""
        match = self._phrases("person_pronoun").match(clause)
        if match:
            rest = clause[match.end() :]
            return Subject(last, _to_first_person(rest), go_on(last.spoken_of, rest))
        match = self._phrases("person_possessive").match(clause)
        if not match:
            return None
        rest = clause[match.end() :].strip()
        if HAN.match(rest):
            return Subject(last, (f"我{rest}",), f"{last.spoken_of}的{rest}")
        return Subject(last, (f"My {rest}",), f"{last.spoken_of}'s {rest}")

    def find_contact(self, before: str) -> Person | None:
        """Whose an address is, by what stands before it; None where it is the speaker's own."""
        matches = list(self._phrases("contact_of").finditer(before))
        if not matches or self._phrases("contact_own").search(before, matches[-1].end()):
            return None
        words = next(filter(None, matches[-1].groups()), "")
        relation = self._tables.get(words.lower(), "")
        return Person(relation, "", words) if relation else Person("", words)

    def drop_unnamed(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Statements without "a puppy" where the message goes on to name it."""
        unnamed = [fact for fact in candidates if _UNNAMED.fullmatch(fact.value)]
        named = {
            fact.predicate
            for fact in self.keep_people(candidates)
            if fact not in unnamed and not fact.value[:1].islower()
        }
        return [fact for fact in candidates if fact.predicate not in named or fact not in unnamed]

    def keep_people(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Those of the statements that say who somebody is."""
        return [candidate for candidate in candidates if candidate.predicate in self._relations]

    def meet(self, candidates: Iterable[Candidate], people: KnownPeople) -> None:
        """Those whom statements name."""
        for fact in candidates:
            if fact.subject == "user" and fact.predicate in self._relations and not fact.withdraws:
                named = not fact.value[:1].islower()
                people.meet(Person(fact.predicate, fact.value if named else ""))

    def _relation(self, word: str) -> str:
        return self._tables.get(word.lower(), word.lower().replace(" ", "_"))


def go_on(who: str, rest: str) -> str:
    """What is said of somebody, who was a pronoun with perhaps a contracted verb."""
    return who + _CONTRACTED.sub(lambda verb: " has" if verb[1] else " is", rest)


@cache
def relations() -> frozenset[str]:
    """The predicates that name somebody in the user's life, in the languages of the package."""
    return frozenset(load_patterns().table("persons").values()) | {"pet"}


@cache
def names_of(subject: str) -> frozenset[str]:
    """The names of a subject: those of its relation in both languages, if it has no other."""
    about, table = subject_of(subject), load_patterns().table("persons", "elders")
    words = (word for word, relation in table.items() if subject_of(relation) == about)
    return frozenset({about, *words})


def attribute(candidates: Iterable[Candidate], person: Person) -> Iterator[Candidate]:
    """What was read in the first person, said of that person, as far as that makes sense."""
    for candidate in candidates:
        if candidate.subject != "user":
            yield candidate
        elif candidate.predicate in ("name", "nickname"):
            yield replace(candidate, predicate=person.relation)
        elif candidate.predicate in _SAID_OF_PEOPLE or candidate.kind in ("fact", "event"):
            yield replace(candidate, subject=person.called)


def _to_first_person(rest: str) -> tuple[str, ...]:
    """What follows a subject, with "I" or 我 before it and the verb to go with it."""
    rest = rest.lstrip(" ,，")
    if HAN.search(rest[:4]):
        plain = _ADVERB.sub("", rest)
        return tuple(dict.fromkeys((f"我{rest}", f"我{plain}")))
    match = _FIRST_WORD.match(rest)
    if not match:
        return ()
    verb = match[1].lower()
    plain = _IRREGULAR.get(verb) or _base_form(verb)
    joint = "" if plain.startswith("'") else " "
    clause = _IS_IN.sub("I live in ", f"I{joint}{plain}{rest[match.end() :]}")
    return (f"My{rest[2:]}",) if _OWN_THING.match(rest) else (clause,)


def _base_form(verb: str) -> str:
    """The verb without the ending of the third person."""
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        return verb[:-2]
    if verb.endswith("s") and not verb.endswith(("ss", "us", "'s")) and len(verb) > 3:
        return verb[:-1]
    return verb
