"""Names affected by a removal: those that contain the phrase, and those no record has any more.

A name never selects records. One that contains the phrase is replaced by a neutral name everywhere,
so records keep their grouping and their speaker. One that only removed records had is removed.
"""

from __future__ import annotations

import mimetypes
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import replace

from mnemic.forget.request import has_phrase
from mnemic.ids import is_id
from mnemic.rules.slots import is_common
from mnemic.store.contract import Unit
from mnemic.store.rows import Name, NameKind, Removal
from mnemic.types import (
    EMPTY,
    GENERAL_TOPIC,
    GLOBAL_PROJECT,
    Json,
    SafeCall,
    SafeName,
    Turn,
    constant,
)

Renamed = Mapping[Name, SafeName]
_NEUTRAL = "forgotten-"
_IS_NEUTRAL = re.compile(rf"{_NEUTRAL}[0-9a-f]{{8}}")
_EMPTIED_KINDS: tuple[NameKind, ...] = ("tag", "address", "media type")
_OPERATION: tuple[NameKind, ...] = ("operation",)
_ENGINE_NAMES = frozenset(
    {
        Name("project", GLOBAL_PROJECT),
        Name("topic", GENERAL_TOPIC),
        Name("topic", "_profile"),
        *(
            Name("purpose", purpose)
            for purpose in "compress core dedup episode extract identity reconcile".split()
        ),
    }
)
# Names in event payloads, by field.
_FIELDS: dict[str, NameKind] = {
    "session": "session",
    "sender": "sender",
    "channel": "channel",
    "project": "project",
    "topic": "topic",
    "tool": "tool",
    "tools": "tool",
    "tags": "tag",
    "predicate": "predicate",
    "model": "model",
    "purpose": "purpose",
}
_TRIGGER: dict[str, tuple[NameKind, ...]] = {"subject": ("session", "host"), "type": ("host",)}


def with_phrase(unit: Unit, phrase: list[str]) -> dict[Name, SafeName]:
    """Names that contain the phrase, each with its replacement; empty for kinds without one."""
    neutral: dict[str, SafeName] = {}
    replacements: dict[Name, SafeName] = {}
    for name in unit.names.all():
        if _is_engine_name(name) or not has_phrase(_user_part(name), phrase):
            continue
        if name.kind in _EMPTIED_KINDS:
            replacements[name] = EMPTY
        else:
            replacements[name] = neutral.setdefault(name.text, _alias())
    return replacements


def find_orphaned(unit: Unit, removal: Removal) -> dict[Name, SafeName]:
    """Names that only these records had; operations named after one get a neutral name."""
    orphaned = {name for name in unit.names.only_in(removal) if not _is_engine_name(name)}
    replacements = dict.fromkeys(orphaned, EMPTY)
    users = {name.text for name in orphaned if name.kind in ("session", "project")}
    if users:
        for name in unit.names.all(_OPERATION):
            if _user_part(name) in users:
                replacements[name] = _alias()
    return replacements


def _alias() -> SafeName:
    return constant(f"{_NEUTRAL}{secrets.token_hex(4)}")


def _is_engine_name(name: Name) -> bool:
    """Whether the engine or a standard chose the name."""
    if name in _ENGINE_NAMES or is_id(name.text) or _IS_NEUTRAL.fullmatch(name.text):
        return True
    if name.kind == "predicate":
        return is_common(name.text)
    return name.kind == "media type" and mimetypes.guess_extension(name.text) is not None


def _user_part(name: Name) -> str:
    """The part of a name that a user chose: operation names of the engine embed one."""
    if name.kind == "host":
        return name.text.removeprefix("host.")
    if name.kind != "operation":
        return name.text
    first, _, rest = name.text.partition(":")
    if first in ("session.ended", "session_end"):
        return rest.rpartition(":")[0]
    if first == "upkeep":  # upkeep:WORK:RUN:STEP:SESSION
        return "".join(name.text.split(":", 4)[4:])
    if first == "document-add":
        return rest.partition(":project:")[2].rpartition(":")[0]
    return name.text


# --- replacing them in records -------------------------------------------------------------------


def rename_tools(turns: Iterable[Turn], names: Renamed) -> list[Turn]:
    """Turns with the names of their tools and parameters replaced."""
    if not any(name.kind in ("tool", "parameter") for name in names):
        return list(turns)

    def call_with(call: SafeCall) -> SafeCall:
        input_ = {
            names.get(Name("parameter", key), key): value for key, value in call.input.items()
        }
        return replace(call, name=names.get(Name("tool", call.name), call.name), input=input_)

    return [replace(turn, tool_calls=tuple(map(call_with, turn.tool_calls))) for turn in turns]


def rename_in_text(text: str, names: Renamed) -> str:
    """A summary of turns with the tool names it quotes replaced."""
    for name, after in names.items():
        if name.kind == "tool" and name.text in text:
            text = re.sub(rf"(?<!\w){re.escape(name.text)}(?!\w)", lambda _: after, text)  # noqa: B023
    return text


def rename_in_payload(value: Json, names: Renamed, field: str = "") -> Json:
    """An event payload with its names replaced."""
    if isinstance(value, dict):
        # An event of a rule repeats the type and subject of its trigger.
        about: dict[str, tuple[NameKind, ...]] = _TRIGGER if "rule" in value else {}
        return {
            key: _rename_as(about[key], item, names)
            if key in about and isinstance(item, str)
            else rename_in_payload(item, names, key)
            for key, item in value.items()
        }
    if isinstance(value, list):
        items = [rename_in_payload(item, names, field) for item in value]
        return [item for item in items if item != ""] if field == "tags" else items
    if isinstance(value, str) and field in _FIELDS:
        return names.get(Name(_FIELDS[field], value), value)
    return value


def _rename_as(kinds: tuple[NameKind, ...], text: str, names: Renamed) -> str:
    return next((names[name] for kind in kinds if (name := Name(kind, text)) in names), text)
