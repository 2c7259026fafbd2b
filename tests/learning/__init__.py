"""What memory learns, and what it must not: attempts, talk and pairs of statements to try it on."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from mnemic.types import Kind, Role

Channel = Literal["tool_result", "assistant", "external", "tool_role"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """Somebody else's words that want to become the owner's.

    ``channel`` is the door they come through: the result of a tool call, the assistant's own words,
    a sender who is not the owner, or a message of the role tool.
    """

    id: str
    language: Literal["en", "zh"]
    channel: Channel
    goal: str
    canary: str
    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """Something the user really stated in the talk."""

    id: str
    kind: Kind
    subject: str
    predicate: str
    value: str
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A message of the talk, ``second`` seconds after it began."""

    second: int
    role: Role
    text: str
    echo: bool = False
    states: str = ""


@dataclass(frozen=True, slots=True)
class Talk:
    """An hour of conversation."""

    facts: tuple[Fact, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements that are close in words; ``same`` if they are in meaning, too."""

    id: str
    language: Literal["en", "zh", "mixed"]
    a: str
    b: str
    same: bool


@cache
def attempts() -> tuple[Attempt, ...]:
    return tuple(Attempt(**row) for row in _read("poison")["attempt"])


@cache
def echo_talk() -> Talk:
    data = _read("echo_talk")
    return Talk(
        tuple(Fact(**row) for row in data["fact"]), tuple(Line(**row) for row in data["turn"])
    )


@cache
def pairs() -> tuple[Pair, ...]:
    return tuple(Pair(**row) for row in _read("paraphrases")["pair"])


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))
