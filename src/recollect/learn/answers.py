"""What a model is asked to extract, and how its answer is read: whole, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import InvalidInput
from recollect.language.guard import Guard
from recollect.learn.candidates import checked
from recollect.providers.chat.base import Object, Schema, WrongShape
from recollect.rules.trust import least_trusted
from recollect.types import KINDS, Candidate, Json, Kind, Trust, Turn

LEARNT: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind != "credential")
_TEXTS = ("subject", "predicate", "value", "project", "topic")
_LONGEST = 2_000  # characters of one statement
_MOST = 100  # statements of one batch


def schema(durations: Sequence[str]) -> Schema:
    """The shape of an answer."""
    fact: dict[str, Json] = {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": list(LEARNT)},
            "content": {"type": "string"},
            **{name: {"type": "string"} for name in _TEXTS},
            "importance": {"type": "number"},
            "confidence": {"type": "number"},
            "duration": {"type": "string", "enum": ["", *durations]},
            "is_update": {"type": "boolean"},
            "withdraws": {"type": "boolean"},
            "turns": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["kind", "content", "turns"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"facts": {"type": "array", "items": fact}},
        "required": ["facts"],
        "additionalProperties": False,
    }


def read_facts(
    answer: Object, turns: Sequence[Turn], durations: Sequence[str], guard: Guard
) -> tuple[Candidate, ...]:
    """The candidates of an answer about these turns, which it names by their numbers from 1."""
    facts = answer.get("facts")
    if not isinstance(facts, list):
        raise WrongShape('"facts" has to be a list')
    if len(facts) > _MOST:
        raise WrongShape(f'"facts" has {len(facts)} entries; give at most {_MOST}')
    return tuple(
        _read(fact, f"facts[{n}]", turns, durations, guard) for n, fact in enumerate(facts)
    )


def _read(
    fact: Json, place: str, turns: Sequence[Turn], durations: Sequence[str], guard: Guard
) -> Candidate:
    if not isinstance(fact, dict):
        raise WrongShape(f"{place} has to be an object")
    kind = next((one for one in LEARNT if one == fact.get("kind")), None)
    if kind is None:
        raise WrongShape(f"{place}.kind has to be one of {', '.join(LEARNT)}")
    content = _text(fact, "content", place)
    if not content:
        raise WrongShape(f"{place}.content is empty")
    duration = _text(fact, "duration", place)
    if duration and duration not in durations:
        raise WrongShape(f"{place}.duration has to be one of {', '.join(durations)}")
    cited = _cited(fact, place, turns)
    candidate = Candidate(
        kind=kind,
        content=content,
        importance=_share(fact, "importance", place),
        confidence=_share(fact, "confidence", place),
        duration=duration,
        is_update=_flag(fact, "is_update", place),
        withdraws=_flag(fact, "withdraws", place),
        trust=least_trusted([_trust(turn) for turn in cited]),
        sources=tuple(dict.fromkeys(turn.id for turn in cited)),
        subject=_text(fact, "subject", place),
        predicate=_text(fact, "predicate", place),
        value=_text(fact, "value", place),
        project=_text(fact, "project", place),
        topic=_text(fact, "topic", place),
    )
    try:
        return checked(candidate, guard)
    except InvalidInput as error:
        raise WrongShape(f"{place}: {error}") from error


def _cited(fact: dict[str, Json], place: str, turns: Sequence[Turn]) -> list[Turn]:
    """The turns a fact stands on; one that stands on none cannot be believed."""
    numbers = fact.get("turns")
    if not isinstance(numbers, list) or not numbers:
        raise WrongShape(f"{place}.turns has to list the numbers of the turns that say it")
    cited: list[Turn] = []
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(turns):
            raise WrongShape(f"{place}.turns: {number!r} is not a number from 1 to {len(turns)}")
        cited.append(turns[number - 1])
    return cited


def _trust(turn: Turn) -> Trust:
    """What an agent says beside a tool's result may be the tool's words."""
    return "tool" if turn.trust == "agent" and turn.tool_results else turn.trust


def _text(fact: dict[str, Json], name: str, place: str) -> str:
    value = fact.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise WrongShape(f"{place}.{name} has to be text")
    text = " ".join(value.split())
    if len(text) > _LONGEST:
        raise WrongShape(f"{place}.{name} is longer than {_LONGEST} characters")
    return text


def _share(fact: dict[str, Json], name: str, place: str) -> float | None:
    value = fact.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise WrongShape(f"{place}.{name} has to be a number from 0 to 1")
    return float(value)


def _flag(fact: dict[str, Json], name: str, place: str) -> bool:
    value = fact.get(name, False)
    if not isinstance(value, bool):
        raise WrongShape(f"{place}.{name} has to be true or false")
    return value
