"""Names that forgetting reaches: those that have the words, and those that nothing has any more.

A name is not what was said: it never decides what is forgotten. One that has the words is replaced
by a neutral one wherever it stands, so that what was said under it, and who said what, stays as it
was. One that only forgotten records had goes with them.
"""

from __future__ import annotations

import mimetypes
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from recollect.forget.request import has_phrase
from recollect.ids import is_id
from recollect.rules.slots import is_common
from recollect.store.contract import Unit
from recollect.store.erasure import Name, NameKind, Removal
from recollect.types import (
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
_EMPTIED: tuple[NameKind, ...] = ("tag", "address", "media type")
_OPERATION: tuple[NameKind, ...] = ("operation",)
_OURS = frozenset(
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
# Names in what the history keeps, by the field they stand in.
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


def having(unit: Unit, said: list[str]) -> dict[Name, SafeName]:
    """Names in which the words stand, each with its replacement; empty where it needs none."""
    neutral: dict[str, SafeName] = {}
    found: dict[Name, SafeName] = {}
    for name in unit.names.all():
        if _is_ours(name) or not has_phrase(_people_named(name), said):
            continue
        if name.kind in _EMPTIED:
            found[name] = EMPTY
        else:
            found[name] = neutral.setdefault(name.text, _alias())
    return found


def lost(unit: Unit, removal: Removal) -> dict[Name, SafeName]:
    """Names that only these records had; operations that were named after one get another name."""
    gone = {name for name in unit.names.only_in(removal) if not _is_ours(name)}
    found = dict.fromkeys(gone, EMPTY)
    named = {name.text for name in gone if name.kind in ("session", "project")}
    if named:
        for name in unit.names.all(_OPERATION):
            if _people_named(name) in named:
                found[name] = _alias()
    return found


def _alias() -> SafeName:
    return constant(f"{_NEUTRAL}{secrets.token_hex(4)}")


def _is_ours(name: Name) -> bool:
    """Whether the engine gave the name, or a standard."""
    if name in _OURS or is_id(name.text) or _IS_NEUTRAL.fullmatch(name.text):
        return True
    if name.kind == "predicate":
        return is_common(name.text)
    return name.kind == "media type" and mimetypes.guess_extension(name.text) is not None


def _people_named(name: Name) -> str:
    """The part of a name that is people's: the engine's operations have one in the middle."""
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


# --- where they stand ----------------------------------------------------------------------------


def turns_with(turns: Iterable[Turn], names: Renamed) -> list[Turn]:
    """Turns as they are once the names of their tools are replaced."""
    if not any(name.kind in ("tool", "parameter") for name in names):
        return list(turns)

    def call_with(call: SafeCall) -> SafeCall:
        told = {names.get(Name("parameter", key), key): value for key, value in call.input.items()}
        return replace(call, name=names.get(Name("tool", call.name), call.name), input=told)

    return [
        replace(turn, tool_calls=tuple(map(call_with, turn.tool_calls)))
        if turn.tool_calls
        else turn
        for turn in turns
    ]


def replaced(texts: Sequence[str], kind: NameKind, names: Renamed) -> tuple[str, ...]:
    """Names of one kind as they are afterwards."""
    return tuple(names.get(Name(kind, text), text) for text in texts)


def text_with(text: str, names: Renamed) -> str:
    """A digest of turns, which quotes the names of their tools as they stand."""
    for name, after in names.items():
        if name.kind == "tool" and name.text in text:
            text = re.sub(rf"(?<!\w){re.escape(name.text)}(?!\w)", lambda _: after, text)  # noqa: B023
    return text


def payload_with(value: Json, names: Renamed, field: str = "") -> Json:
    """What an event holds, with the names in it replaced."""
    if isinstance(value, dict):
        # A rule tells what the event was about that set it off: of these, only sessions have names.
        about: dict[str, NameKind] = {"subject": "session"} if "rule" in value else {}
        return {
            key: names.get(Name(about[key], item), item)
            if key in about and isinstance(item, str)
            else payload_with(item, names, key)
            for key, item in value.items()
        }
    if isinstance(value, list):
        kept = [payload_with(item, names, field) for item in value]
        return [item for item in kept if item != ""] if field == "tags" else kept
    if isinstance(value, str) and field in _FIELDS:
        return names.get(Name(_FIELDS[field], value), value)
    return value
