"""Conversations with what is to be known after the last of their sessions."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any, Literal, get_args

from mnemic.types import Role

Language = Literal["en", "zh"]
Half = Literal["tuning", "heldout"]
Manner = Literal["plain", "passing"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
HALVES: tuple[Half, ...] = get_args(Half)
MANNERS: tuple[Manner, ...] = get_args(Manner)


@dataclass(frozen=True, slots=True)
class Label:
    """One thing known at the end. ``accept`` and ``also`` are values and relations as good."""

    about: str
    relation: str
    value: str
    accept: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    on: str = ""
    project: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One message; from a ``trap`` nothing is to be learned."""

    role: Role
    text: str
    trap: bool = False


@dataclass(frozen=True, slots=True)
class Talk:
    """One session."""

    at: datetime
    turns: tuple[Message, ...]
    project: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Several sessions of one person; ``ended`` held once and must not be current at the end."""

    id: str
    language: Language
    sessions: tuple[Talk, ...]
    labels: tuple[Label, ...]
    ended: tuple[Label, ...]


def conversations(manner: Manner, language: Language, half: Half) -> tuple[Conversation, ...]:
    """Those of a file; rules may be written while reading "tuning" only."""
    name = f"{manner}-{language}-{half}.toml"
    text = files(__package__).joinpath("data", name).read_text(encoding="utf-8")
    return tuple(_conversation(language, row) for row in tomllib.loads(text)["conversation"])


def _conversation(language: Language, row: Mapping[str, Any]) -> Conversation:
    return Conversation(
        id=row["id"],
        language=language,
        sessions=tuple(_talk(one) for one in row["session"]),
        labels=tuple(_label(one) for one in row.get("label", ())),
        ended=tuple(_label(one) for one in row.get("ended", ())),
    )


def _talk(row: Mapping[str, Any]) -> Talk:
    turns = tuple(Message(**turn) for turn in row["turns"])
    return Talk(datetime.fromisoformat(row["at"]), turns, row.get("project", ""))


def _label(row: Mapping[str, Any]) -> Label:
    lists = {name: tuple(row.get(name, ())) for name in ("accept", "also")}
    return Label(**{**row, **lists})
