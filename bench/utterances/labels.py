"""Utterances with what is to be learned from each; README.md beside this says how to read them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

from mnemic.types import Kind, Role

Language = Literal["en", "zh", "mixed"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

PREDICATES = frozenset(
    "name age birthday job employer lives_in from family pet language likes dislikes allergy uses"
    " version editor os path port timezone rule decision deadline schedule goal habit studies"
    " other".split()
)
POSITIVES = (
    "identity",
    "preference",
    "rule",
    "version",
    "tool choice",
    "location",
    "decision",
    "deadline",
    "remember",
    "correction",
    "withdrawal",
)
TRAPS = (
    "question",
    "quoted",
    "code/log",
    "hypothetical",
    "wish",
    "other person",
    "reported speech",
    "example",
    "role-play",
    "past habit",
    "negation",
    "one-off",
    "other role",
    "sarcasm",
    "generic",
    "translation",
    "lyrics",
    "test text",
)


@dataclass(frozen=True, slots=True)
class Label:
    """One thing a careful reader would learn. ``kinds`` and ``accept`` are as good as the first."""

    kind: Kind
    subject: str
    predicate: str
    value: str
    kinds: tuple[Kind, ...] = ()
    accept: tuple[str, ...] = ()
    update: bool = False
    withdraws: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """A message said before."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message, what came before it, and what is to be learned from it."""

    id: str
    language: Language
    category: str
    text: str
    role: Role = "user"
    before: tuple[Message, ...] = ()
    labels: tuple[Label, ...] = ()

    @property
    def is_trap(self) -> bool:
        return self.category in TRAPS

    @property
    def held_out(self) -> bool:
        """Every second one of a category: rules may be tuned on the others only."""
        return int(self.id.rsplit("-", 1)[1]) % 2 == 0


@cache
def utterances() -> tuple[Utterance, ...]:
    """All of them, in the order of their files."""
    return tuple(one for language in LANGUAGES for one in _read(language))


def _read(language: Language) -> list[Utterance]:
    text = files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return [_utterance(language, row) for row in tomllib.loads(text)["utterance"]]


def _utterance(language: Language, row: Mapping[str, Any]) -> Utterance:
    made = dict(row)
    made["before"] = tuple(Message(**message) for message in row.get("before", ()))
    made["labels"] = tuple(_label(label) for label in row.get("labels", ()))
    return Utterance(language=language, **made)


def _label(row: Mapping[str, Any]) -> Label:
    lists = {name: tuple(row.get(name, ())) for name in ("kinds", "accept")}
    return Label(**{**row, **lists})
