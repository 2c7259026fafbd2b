"""The model calls of upkeep: duplicates, a day's lasting knowledge, the core, and rewriting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from mnemic.language.detection import LanguageChoice, language_of
from mnemic.language.fence import fence
from mnemic.language.secrets.finder import redact
from mnemic.learn.facts import KIND_ALIASES, KIND_NAMES, LEARNED
from mnemic.prompts import Language, filled, prompt
from mnemic.providers.chat.base import ChatModel, Object, Schema, WrongShape
from mnemic.providers.chat.fields import (
    choice_in,
    is_nothing,
    numbers_in,
    share_in,
    text_in,
)
from mnemic.rules import checks
from mnemic.types import GENERAL_TOPIC, GLOBAL_PROJECT, Candidate, Json, Kind, Memory

_MOST = 50  # statements of one day
_NUMBERS: dict[str, Json] = {"type": "array", "items": {"type": "integer"}}
_TEXT: dict[str, Json] = {"type": "string"}
_KIND: dict[str, Json] = {"type": "string", "enum": list(LEARNED)}


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A statement that a model wrote, and the places of those it stands for; no kind or importance
    where the model gave none that can be read.
    """

    content: str
    kind: Kind | None
    importance: float | None
    places: tuple[int, ...]


def ask_for_fewer(
    model: ChatModel, memories: Sequence[Memory], language: LanguageChoice
) -> list[Rewritten]:
    """All statements of a partition in fewer ones."""
    item = _object({"content": _TEXT, "kind": _KIND, "importance": {"type": "number"},
                    "from": _NUMBERS})  # fmt: skip
    answer = model.ask(
        fence(_list_memories(memories), "memories"),
        purpose="rewrite",
        schema=_object({"facts": {"type": "array", "items": {**item}}}),
        parse=lambda answer: _read_rewritten(answer.get("facts"), "facts", len(memories)),
        system=prompt("rewrite", language_of([m.text for m in memories], language)),
    )
    return answer.value


def ask_for_profile(
    model: ChatModel, profile: Sequence[Memory], further: Sequence[Memory], most: int,
    language: LanguageChoice,
) -> list[Rewritten]:  # fmt: skip
    """The profile written anew from the present one and further memories, which follow it in the
    numbering; at most ``most`` entries.
    """
    memories = [*profile, *further]
    item = _object({"content": _TEXT, "kind": _KIND, "from": _NUMBERS})
    lines = _list_memories(memories).split("\n")
    shown = "\n".join(["# profile", *lines[: len(profile)], "# knowledge", *lines[len(profile) :]])
    answer = model.ask(
        fence(shown, "memories"),
        purpose="profile",
        schema=_object({"entries": {"type": "array", "items": {**item}}}),
        parse=lambda answer: _read_rewritten(answer.get("entries"), "entries", len(memories)),
        system=filled("profile", language_of([m.text for m in memories], language), most=most),
    )
    return answer.value[:most]


def ask_for_same(
    model: ChatModel, memories: Sequence[Memory], language: LanguageChoice
) -> list[tuple[int, ...]]:
    """Groups of places whose statements say the same; usually few or none."""
    schema: Schema = _object({"same": {"type": "array", "items": _NUMBERS}})
    answer = model.ask(
        fence(_list_memories(memories), "memories"),
        purpose="dedup",
        schema=schema,
        parse=lambda answer: _read_groups(answer, len(memories)),
        system=prompt("same", language_of([m.text for m in memories], language)),
    )
    return answer.value


def ask_for_core(
    model: ChatModel, memories: Sequence[Memory], most: int, language: LanguageChoice
) -> list[Memory]:
    """The memories for the core, at most ``most``."""
    answer = model.ask(
        fence(_list_memories(memories), "memories"),
        purpose="core",
        schema=_object({"core": _NUMBERS}),
        parse=lambda answer: _read_places(answer.get("core"), "core", len(memories)),
        system=filled("core", language_of([m.text for m in memories], language), most=most),
    )
    return [memories[place] for place in answer.value[:most]]


def ask_for_knowledge(
    model: ChatModel,
    day: date,
    summaries: Sequence[str],
    language: Language,
    projects: Sequence[str] = (),
) -> list[Candidate]:
    """The lasting statements of a day, each with its project and topic where it has one."""
    fact: dict[str, Json] = {
        "kind": _KIND,
        "content": _TEXT,
        "importance": {"type": "number"},
        "project": _TEXT,
        "topic": _TEXT,
    }
    item: dict[str, Json] = {**_object(fact)}
    lines = [f"[{n}] {redact(line)}" for n, line in enumerate(summaries, 1)]
    named = f"projects: {redact(', '.join(projects))}"
    answer = model.ask(
        fence("\n".join([named, *lines]), "events"),
        purpose="compress",
        schema=_object({"facts": {"type": "array", "items": item}}),
        parse=_read_facts,
        system=filled("compress", language, day=day.isoformat()),
    )
    return answer.value


def _list_memories(memories: Sequence[Memory]) -> str:
    return "\n".join(
        f"[{n}] ({m.kind}, {m.valid_from:%Y-%m-%d}) {redact(m.text)}"
        for n, m in enumerate(memories, 1)
    )


def _object(properties: dict[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _read_groups(answer: Object, count: int) -> list[tuple[int, ...]]:
    groups = answer.get("same")
    if not isinstance(groups, list):
        raise WrongShape('"same" has to be a list of lists of numbers')
    read = [_read_places(group, "same", count) for group in groups]
    flat = [place for group in read for place in group]
    if len(set(flat)) != len(flat):
        raise WrongShape("a number stands in two groups")
    return [tuple(group) for group in read if len(group) > 1]


def _read_places(numbers: Json, name: str, count: int) -> list[int]:
    if not isinstance(numbers, list):
        raise WrongShape(f'"{name}" has to hold lists of numbers')
    for entry in numbers:
        if not [number for number in numbers_in(entry) if 1 <= number <= count]:
            raise WrongShape(f'"{name}": {entry!r} is not a number from 1 to {count}')
    return [number - 1 for number in dict.fromkeys(numbers_in(numbers)) if 1 <= number <= count]


def _read_facts(answer: Object) -> list[Candidate]:
    facts = answer.get("facts")
    if not isinstance(facts, list) or len(facts) > _MOST:
        raise WrongShape(f'"facts" has to be a list of at most {_MOST}')
    return [_read_fact(fact, f"facts[{n}]") for n, fact in enumerate(facts)]


def _read_fact(fact: Json, place: str) -> Candidate:
    if not isinstance(fact, dict):
        raise WrongShape(f"{place} has to be an object")
    content = text_in(fact.get("content"), f"{place}.content")
    if not content:
        raise WrongShape(f"{place}.content is empty")
    return Candidate(
        kind=choice_in(_kind_word(fact), LEARNED, f"{place}.kind", KIND_ALIASES),
        text=content,
        importance=share_in(fact.get("importance"), f"{place}.importance"),
        origin="compression",
        project=_name(fact.get("project"), f"{place}.project"),
        topic=_name(fact.get("topic"), f"{place}.topic"),
    )


def _name(value: Json, place: str) -> str:
    """The name of a partition; empty for a sign of none."""
    name = text_in(value, place, checks.MAX_NAME)
    return "" if is_nothing(name) or name in (GLOBAL_PROJECT, GENERAL_TOPIC, "-") else name


def _read_rewritten(entries: Json, name: str, count: int) -> list[Rewritten]:
    if not isinstance(entries, list):
        raise WrongShape(f'"{name}" has to be a list')
    read = []
    for n, entry in enumerate(entries):
        place = f"{name}[{n}]"
        if not isinstance(entry, dict) or not text_in(entry.get("content"), f"{place}.content"):
            raise WrongShape(f"{place} has to be an object with a content")
        places = [] if "from" not in entry else _read_places(entry["from"], f"{place}.from", count)
        read.append(
            Rewritten(
                text_in(entry["content"], place),
                _kind(_kind_word(entry)),
                share_in(entry.get("importance"), f"{place}.importance"),
                tuple(places),
            )
        )
    return read


def _kind_word(fact: Object) -> Json:
    """The kind as the model named it, under its name in any of the documents."""
    return next((fact[name] for name in KIND_NAMES if fact.get(name)), None)


def _kind(value: Json) -> Kind | None:
    try:
        return choice_in(value, LEARNED, "kind", KIND_ALIASES)
    except WrongShape:
        return None
