"""How much of what is to be known is known, and how much else."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.conversations.labels import Conversation, Label
from bench.utterances.scoring import holds
from mnemic.types import Memory

_FAMILY = """
    family wife husband partner spouse girlfriend boyfriend fiance fiancee son daughter child
    children baby brother sister sibling mother father parents grandmother grandfather
    grandchild grandson granddaughter cousin uncle aunt nephew niece twin toddler mom mum dad
    grandma grandpa girl boy stepson stepdaughter stepfather stepmother mother-in-law
    father-in-law sister-in-law brother-in-law daughter-in-law son-in-law in-laws godson goddaughter
    relative ex
"""
_PEOPLE = """
    friend boss manager colleague roommate neighbor teacher coach doctor landlord supervisor
    dentist therapist accountant lawyer assistant business_partner bandmate classmate student
    vet employee client agent advisor captain mentor host_mother nanny babysitter pharmacist
    teammate
"""
# A relation of the labels is met by any of these predicates of the engine.
_PREDICATES: Mapping[str, str] = {
    "name": "name nickname surname",
    "nickname": "nickname name",
    "family": _FAMILY,
    "friend": f"{_PEOPLE} {_FAMILY}",
    "pet": "pet owns",
    "job": "job role occupation",
    "employer": "employer works_in",
    "studies": "studies major learning degree school",
    "school": "school studies employer",
    "lives_in": "lives_in location home address",
    "from": "from hometown nationality",
    "address": "address lives_in",
    "vehicle": "vehicle car owns device",
    "device": "device owns uses keyboard",
    "instrument": "instrument plays hobby",
    "hobby": "hobby likes sport habit instrument plays interest",
    "habit": "habit schedule hobby routine",
    "schedule": "schedule habit appointment",
    "appointment": "appointment schedule event deadline trip plan",
    "deadline": "deadline schedule appointment event",
    "trip": "trip schedule plan event appointment",
    "plan": "plan goal trip wants schedule decision event",
    "goal": "goal plan wants learning",
    "likes": "likes prefers hobby",
    "dislikes": "dislikes avoids",
    "diet": "diet allergy dislikes health avoids",
    "allergy": "allergy diet health",
    "health": "health condition allergy diet medication",
    "medication": "medication health",
    "language": "language native_language",
    "learning": "learning studies language hobby",
    "uses": "uses editor os database browser shell terminal device framework cloud ci linter"
    " formatter package_manager notes_app programming_language test_runner version decision",
    "version": "version os uses",
    "editor": "editor uses",
    "os": "os uses version",
    "database": "database uses version decision",
    "decision": "decision rule uses",
    "rule": "rule language likes dislikes nickname decision",
    "owns": "owns device vehicle pet",
    "event": "event schedule appointment",
}
_NAMED = {name for names in _PREDICATES.values() for name in names.split()} | set(_PREDICATES)
# Said of a thing by its own name: of the dentist, of the API.
_NAMES_ITSELF = frozenset({"deadline", "schedule", "appointment", "port", "path", "version"})
_ANY = ("note", "other")  # relations without predicates of their own
_IN_CONTENT = ("rule", "note", "decision", "plan", "goal", "other", "habit", "event")
_LONGEST = 140  # characters of a statement: more is a passage, not a statement


@dataclass(frozen=True, slots=True)
class Outcome:
    """The counts of one conversation; ``traps`` are messages that sprang, of ``trap_messages``."""

    memories: int
    right: int
    labels: int
    matched: int
    trap_messages: int
    traps: int
    wrong: tuple[Memory, ...] = ()
    missed: tuple[Label, ...] = ()


def score(one: Conversation, memories: Sequence[Memory], trap_turns: frozenset[str]) -> Outcome:
    """Hold what is current at the end against the labels.

    A memory is right when it says a label and nothing that another has said before it; a label is
    met when a memory says it.
    """
    met: set[int] = set()
    wrong: list[Memory] = []
    for memory in memories:
        said = {n for n, label in enumerate(one.labels) if says(memory, label)}
        if not said - met:
            wrong.append(memory)
        met |= said
    wanted = [n for n, label in enumerate(one.labels) if not label.optional]
    sprung = {s.turn_id for m in wrong for s in m.sources if s.turn_id in trap_turns}
    return Outcome(
        memories=len(memories),
        right=len(memories) - len(wrong),
        labels=len(wanted),
        matched=sum(n in met for n in wanted),
        trap_messages=len(trap_turns),
        traps=len(sprung),
        wrong=tuple(wrong),
        missed=tuple(one.labels[n] for n in wanted if n not in met),
    )


def says(memory: Memory, label: Label) -> bool:
    """Whether a memory is the statement of a label: of whom, which relation, the value, the day."""
    if len(memory.text) > _LONGEST or not _is_about(memory, label):
        return False
    relations = (label.relation, *label.also)
    predicate = memory.predicate.replace(" ", "_").lower()
    fits = any(
        one in _ANY or predicate in {one, *_PREDICATES.get(one, "").split()} for one in relations
    )
    open_ = memory.kind == "fact" and predicate not in _NAMED and memory.subject == "user"
    if not fits and not open_ and not (predicate.startswith("favorite") and "likes" in relations):
        return False
    whole = open_ or not memory.value or any(one in _IN_CONTENT for one in relations)
    texts = [memory.value, memory.subject] + ([memory.text] if whole or label.on else [])
    if not any(_has(text, label) for text in texts):
        return False
    dated = label.on and not (predicate == "birthday" and any(map(str.isdigit, memory.value)))
    return not dated or label.on in memory.text or label.on in _days(memory)


def _days(memory: Memory) -> set[str]:
    return {
        moment.date().isoformat()
        for moment in (memory.valid_from, memory.valid_to)
        if moment is not None
    }


def _is_about(memory: Memory, label: Label) -> bool:
    places = (
        {label.project.lower(), "_global"} if label.relation == "rule" else {label.project.lower()}
    )
    if label.project and memory.project.lower() not in places:
        return False
    subject = _folded(memory.subject)
    if label.about == "user":
        own = not subject or subject in ("user", "team", "project")
        named = not _NAMES_ITSELF.isdisjoint((label.relation, *label.also))
        return own or named or memory.predicate == "other"
    words = [_folded(word) for word in label.about.removeprefix("project ").split()]
    text = _folded(f"{memory.subject} {memory.predicate} {memory.text}")
    return memory.project.lower() in words or any(word in text for word in words)


def _has(text: str, label: Label) -> bool:
    folded = _folded(text)
    return any(holds(folded, _folded(value)) for value in (label.value, *label.accept))


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    joined = " ".join(plain.replace("_", " ").split())
    return re.sub(r"(?<=[\u4e00-\u9fff]) | (?=[\u4e00-\u9fff])", "", joined)
