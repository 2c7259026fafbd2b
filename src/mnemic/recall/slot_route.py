"""Known facts: the memories that answer a question by their slot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from mnemic.language.slot_question import SlotQuestion, Units, read_slot_question, units
from mnemic.recall.request import Request
from mnemic.rules.slots import opposites, predicate_of, slot_of, subject_of
from mnemic.store.contract import Unit
from mnemic.store.rows import SlotEntry, type_of

_OWNER = "user"
_MOST_READ = 30  # of one slot: of what somebody likes there may be hundreds
_LETTERS = 2  # that the forms of a word share
_MOST = 10  # answers: what somebody likes has many
_WHO = frozenset({"who", "谁"})
_FEW = 3  # of more it is not clear which one is meant
_OWN_WORDS = ("owner", "agent")


class _Entry(NamedTuple):
    """What is stated in a slot, with the words by which the question names its subject."""

    stated: SlotEntry
    subject: Units

    @property
    def slot(self) -> str:
        return slot_of(self.stated.subject, self.stated.predicate)

    @property
    def text(self) -> str:
        return f"{self.stated.text} {self.stated.value} {self.stated.predicate}"

    @property
    def says(self) -> Units:
        return units(self.text)

    def has(self, wanted: Units) -> bool:
        """Whether it says all of that; most do not, and their first letters tell so at once."""
        folded = self.text.lower()
        near = all(unit[:_LETTERS] in folded for unit in wanted)
        return near and (not wanted or wanted <= self.says)


def answers_by_slot(request: Request, matches: Sequence[int], unit: Unit) -> list[int]:
    """Documents of the memories that answer a query by their slot, the best first; ``matches`` are
    the best by words.

    A question about the past is answered by what was true before, and by nothing that still is.
    """
    question = read_slot_question(request.query) if "memory" in request.scope.types else None
    if question is None:
        return []
    scope = request.scope
    if question.past:
        scope = replace(scope, status="superseded", as_of=None, known_at=None)
    entries = list(_entries(question, unit))
    allowed = set(unit.text.in_scope([entry.stated.doc for entry in entries], scope))
    texts = _texts_of_slots(entries) if question.past else {}
    ranked: list[tuple[tuple[bool, int, int, int], int]] = []
    for entry in entries:
        stated = entry.stated
        asking = _asking(question, entry) if stated.doc in allowed else None
        if asking is None:
            continue
        remaining = question.content - asking - entry.subject
        if remaining <= texts[entry.slot] if texts else entry.has(remaining):
            place = (stated.trust not in _OWN_WORDS, len(remaining), -len(asking), len(ranked))
            ranked.append((place, stated.doc))
    if not ranked and not question.past:
        return _in_own_words(question, matches, unit)
    return [doc for _, doc in sorted(ranked)][:_MOST]


def _in_own_words(question: SlotQuestion, matches: Sequence[int], unit: Unit) -> list[int]:
    """The few statements about the user that have everything a question for them speaks of: "I swim
    every Tuesday" for "when do I swim?". Who does something may be anybody.

    One that has it all is among the best by words.
    """
    anybody = not _WHO.isdisjoint(question.who)
    if not question.content or not (question.own or anybody):
        return []
    docs = [doc for doc in matches if type_of(doc) == "memory"][:_MOST]
    ids = {id_: doc for doc, (_, id_) in unit.text.records(docs).items()} if docs else {}
    answers = [
        ids[memory.id]
        for memory in unit.memories.by_id(list(ids))
        if (anybody or subject_of(memory.subject) in question.own)
        and question.content <= units(memory.text)
    ]
    return answers if len(answers) <= _FEW else []


def _entries(question: SlotQuestion, unit: Unit) -> Iterator[_Entry]:
    """What is stated in the slots that a question may ask for, and about the people and things it
    names.
    """
    predicates = [*question.asked, *(other for name in question.asked for other in opposites(name))]
    slots = [slot_of(about, predicate) for about in question.own for predicate in predicates]
    slots += [slot_of(_OWNER, relation) for relation in question.relations]
    spoken_of = {subject_of(relation): words for relation, words in question.relations.items()}
    named = {**question.phrases, **spoken_of}
    people: dict[str, Units] = {}
    for stated in _read(unit, slots, named):
        yield _Entry(stated, named.get(subject_of(stated.subject), frozenset()))
        relation = _relation(question, stated)
        if relation is not None:
            people[subject_of(stated.value)] = relation
    new = [name for name in people if name and name not in named]
    for stated in _read(unit, (), new) if new else ():
        yield _Entry(stated, people[subject_of(stated.subject)])


def _read(unit: Unit, slots: Iterable[str], subjects: Iterable[str]) -> list[SlotEntry]:
    named = list(filter(None, dict.fromkeys(slots)))
    return unit.memories.list_stated(named, list(subjects), each=_MOST_READ)


def _relation(question: SlotQuestion, stated: SlotEntry) -> Units | None:
    """The words of the question for the person whom a statement says to be the user's."""
    if subject_of(stated.subject) != _OWNER:
        return None
    return question.relations.get(predicate_of(stated.predicate))


def _asking(question: SlotQuestion, entry: _Entry) -> Units | None:
    """The words by which a question asks for what is stated; None where it does not."""
    relation = _relation(question, entry.stated)
    if relation is not None:
        return relation | question.who
    predicate = predicate_of(entry.stated.predicate)
    asking = question.asking(predicate)
    if asking is not None:
        return asking
    # The opposite, and what is asked for of somebody in other words, have to be in the statement.
    asking = question.asking_opposite(predicate)
    if asking is None and entry.subject:
        asking = frozenset()
    topic = asking is not None and question.content - asking - entry.subject
    return asking if topic else None


def _texts_of_slots(entries: Sequence[_Entry]) -> dict[str, Units]:
    """What all versions of a slot say: "before Porto" is in the one that came after."""
    texts: dict[str, Units] = {}
    for entry in entries:
        texts[entry.slot] = texts.get(entry.slot, frozenset()) | entry.says
    return texts
