"""The model calls of upkeep: duplicates, a day's lasting knowledge, the core, and rewriting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TypeVar

from mnemic.language.detection import LanguageChoice, language_of
from mnemic.language.fence import fence
from mnemic.language.secrets.finder import redact
from mnemic.late import dataclass
from mnemic.learn.facts import KIND_NAMES, LEARNED, kind_of
from mnemic.prompts import Language, fill_prompt
from mnemic.providers.chat.base import ChatModel, Object, WrongShape
from mnemic.providers.chat.fields import is_nothing, numbers_in, share_in, text_in
from mnemic.rules import checks
from mnemic.rules.slots import fold
from mnemic.types import GENERAL_TOPIC, GLOBAL_PROJECT, Candidate, Json, Kind, Memory

T = TypeVar("T")
_MOST = 50  # statements of one day
_INTEGER: Json = {"type": "integer"}
_NUMBERS: Json = {"type": "array", "items": _INTEGER}
_NUMBER: Json = {"type": "number"}
_TEXT: Json = {"type": "string"}
_KIND: Json = {"type": "string", "enum": list(LEARNED)}


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
    item = _object({"content": _TEXT, "kind": _KIND, "importance": _NUMBER, "from": _NUMBERS})
    return _ask(model, memories, language, "rewrite", name="facts", item=item, read=_read_rewritten)


def ask_for_profile(
    model: ChatModel, profile: Sequence[Memory], further: Sequence[Memory], most: int,
    language: LanguageChoice,
) -> list[Rewritten]:  # fmt: skip
    """The profile rewritten from the present one and further memories, ``most`` entries."""
    memories = [*profile, *further]
    item = _object({"content": _TEXT, "kind": _KIND, "from": _NUMBERS})
    lines = _list_memories(memories)
    lines = ["# profile", *lines[: len(profile)], "# knowledge", *lines[len(profile) :]]
    entries = _ask(
        model, memories, language, "profile",
        name="entries", item=item, read=_read_rewritten, lines=lines, most=most,
    )  # fmt: skip
    return entries[:most]


def ask_for_same(
    model: ChatModel, memories: Sequence[Memory], language: LanguageChoice
) -> list[tuple[int, ...]]:
    """Groups of places whose statements say the same; usually few or none."""
    return _ask(
        model, memories, language, "same",
        name="same", item=_NUMBERS, read=_read_groups, purpose="dedup",
    )  # fmt: skip


def ask_for_core(
    model: ChatModel, memories: Sequence[Memory], most: int, language: LanguageChoice
) -> list[Memory]:
    places = _ask(
        model, memories, language, "core",
        name="core", item=_INTEGER, read=_read_places, most=most,
    )  # fmt: skip
    return [memories[place] for place in places[:most]]


def _ask(
    model: ChatModel,
    memories: Sequence[Memory],
    language: LanguageChoice,
    prompt: str,
    *,
    name: str,
    item: Json,
    read: Callable[[Json, str, int], T],
    purpose: str = "",
    lines: Sequence[str] = (),
    **blanks: object,
) -> T:
    """The answer to a prompt about memories: one list of that ``name``, and what is in it."""
    answer = model.ask(
        fence("\n".join(lines or _list_memories(memories)), "memories"),
        purpose=purpose or prompt,
        schema=_object({name: {"type": "array", "items": item}}),
        parse=lambda answer: read(answer.get(name), name, len(memories)),
        system=fill_prompt(prompt, language_of([m.text for m in memories], language), **blanks),
    )
    return answer.value


def ask_for_knowledge(
    model: ChatModel,
    day: date,
    summaries: Sequence[str],
    language: Language,
    projects: Sequence[str] = (),
) -> list[Candidate]:
    """The lasting statements of a day, each with its project and topic where it has one."""
    fact = {
        "kind": _KIND, "content": _TEXT, "importance": _NUMBER, "project": _TEXT, "topic": _TEXT,
    }  # fmt: skip
    lines = [f"[{n}] {redact(line)}" for n, line in enumerate(summaries, 1)]
    header = f"projects: {redact(', '.join(projects))}"
    answer = model.ask(
        fence("\n".join([header, *lines]), "events"),
        purpose="compress",
        schema=_object({"facts": {"type": "array", "items": _object(fact)}}),
        parse=_read_facts,
        system=fill_prompt("compress", language, day=day.isoformat()),
    )
    return answer.value


def _list_memories(memories: Sequence[Memory]) -> list[str]:
    return [
        f"[{n}] ({m.kind}, {m.valid_from:%Y-%m-%d}) {redact(m.text)}"
        for n, m in enumerate(memories, 1)
    ]


def _object(properties: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _read_groups(groups: Json, name: str, count: int) -> list[tuple[int, ...]]:
    if not isinstance(groups, list):
        raise WrongShape(f'"{name}" has to be a list of lists of numbers')
    read = [_read_places(group, name, count) for group in groups]
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
    candidates = []
    shares = [fact.get("importance") for fact in facts if isinstance(fact, dict)]
    for n, fact in enumerate(facts):
        place = f"facts[{n}]"
        if not isinstance(fact, dict):
            raise WrongShape(f"{place} has to be an object")
        if fold(str(_kind_word(fact))) == "credential":
            continue
        content = text_in(fact.get("content"), f"{place}.content")
        if not content:
            raise WrongShape(f"{place}.content is empty")
        candidate = Candidate(
            kind=kind_of(_kind_word(fact)) or "fact",
            text=content,
            importance=share_in(fact.get("importance"), f"{place}.importance", shares),
            origin="compression",
            project=_name(fact.get("project"), f"{place}.project"),
            topic=_name(fact.get("topic"), f"{place}.topic"),
        )
        candidates.append(candidate)
    return candidates


def _name(value: Json, place: str) -> str:
    """The name of a partition; empty for a sign of none."""
    name = text_in(value, place, checks.MAX_NAME)
    return "" if is_nothing(name) or name in (GLOBAL_PROJECT, GENERAL_TOPIC, "-") else name


def _read_rewritten(entries: Json, name: str, count: int) -> list[Rewritten]:
    if not isinstance(entries, list):
        raise WrongShape(f'"{name}" has to be a list')
    read = []
    shares = [entry.get("importance") for entry in entries if isinstance(entry, dict)]
    for n, entry in enumerate(entries):
        place = f"{name}[{n}]"
        if not isinstance(entry, dict) or not text_in(entry.get("content"), f"{place}.content"):
            raise WrongShape(f"{place} has to be an object with a content")
        places = [] if "from" not in entry else _read_places(entry["from"], f"{place}.from", count)
        content, kind = text_in(entry["content"], place), kind_of(_kind_word(entry))
        importance = share_in(entry.get("importance"), f"{place}.importance", shares)
        read.append(Rewritten(content, kind, importance, tuple(places)))
    return read


def _kind_word(fact: Object) -> Json:
    """The kind as the model named it, under its name in any of the documents."""
    return next((fact[name] for name in KIND_NAMES if fact.get(name)), None)
