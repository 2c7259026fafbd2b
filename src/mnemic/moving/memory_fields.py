"""A memory from a record of another program: an object, a row or a line with named fields.

The usual names of fields are known, and the words of the presets' documents for kinds. What has
ended there (superseded, archived, expired, deleted) is a memory that has ended here, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from mnemic.errors import InvalidInput
from mnemic.language.dates.moments import moment
from mnemic.record.messages import UnreadableMessage, describe, read_time, read_trust
from mnemic.rules.lifetimes import is_duration
from mnemic.rules.speakers import least_trusted
from mnemic.settings.vocabulary import folded, vocabulary_of
from mnemic.types import KINDS, Kind, NewMemory, Trust

TEXT_KEYS = ("text", "content", "memory", "statement", "document", "data")
ID_KEYS = ("id", "uuid", "memory_id")
_KIND_KEYS = ("kind", "type", "category", "memory_type", "fact_type")
_CREATED_KEYS = ("created_at", "learnt_at", "created", "timestamp", "date", "time", "at")
_UPDATED_KEYS = ("updated_at", "updated", "modified")
_END_KEYS = ("valid_to", "invalid_at", "superseded_at", "archived_at", "deleted_at")
_ENDED_KEYS = ("superseded_by", "archived", "is_archived", "deleted", "is_deleted")
_ENDED = frozenset("superseded archived rejected deleted expired inactive obsolete pending".split())
_IMPORTANCE_KEYS = ("importance", "importance_score")
_LIFE_KEYS = ("duration", "priority")
_NO = frozenset(("", "0", "false", "no", "none", "null"))
_BETWEEN_TAGS = re.compile(r"[,;，；、]")
_MAX_METADATA = 3_000  # characters: the place that it came from is noted there, too
_DAY = timedelta(days=1)
_EPOCH = moment("1970-01-01")
_DOCUMENTS = ("openakita", "myclaw", "shiyi", "semibot")
# Words of OpenAkita that its document does not have, and common ones.
_KINDS: Mapping[str, Kind] = {
    "context": "event",
    "experience": "lesson",
    "profile": "identity",
    "note": "fact",
    "memory": "fact",
    "insight": "lesson",
    "habit": "preference",
    "goal": "decision",
}
IMPORTED_KIND = "imported_kind"


def read_memory(fields: Mapping[str, Any], trust: Trust) -> NewMemory:
    """The memory that a record holds; ``UnreadableMessage`` says why there is none."""
    text = _text(fields)
    word = _word(fields, _KIND_KEYS)
    kind = kind_of(word)
    if kind == "credential":
        raise UnreadableMessage(
            "it is a credential, which is kept only on request; add it yourself"
        )
    created = _time(fields, _CREATED_KEYS)
    updated = _time(fields, _UPDATED_KEYS)
    expires = _time(fields, ("expires_at", "expiration_date"))
    life = _life(fields)
    if life == "transient" and expires is None and (updated or created):
        expires = (updated or created or _EPOCH) + _DAY  # it was of a session that is over
    importance = read_share(fields, _IMPORTANCE_KEYS)
    confidence = read_share(fields, ("confidence",))
    stated = read_trust(fields.get("trust") or None)
    return NewMemory(
        text,
        kind or "fact",
        subject=_word(fields, ("subject",)),
        predicate=_word(fields, ("predicate",)),
        value=_word(fields, ("value", "object")),
        project=_word(fields, ("project",)) or None,
        topic=_word(fields, ("topic",)) or None,
        tags=read_words(fields.get("tags"), "tags"),
        metadata=_metadata(fields, "" if kind else word),
        importance=importance,
        confidence=1.0 if confidence is None else confidence,
        trust=trust if stated is None else least_trusted((trust, stated)),
        valid_from=_time(fields, ("valid_from", "valid_at")),
        valid_to=_end(fields, updated or created),
        expires_at=expires,
        duration="" if expires is not None else life,
        learnt_at=created,
    )


def read_key(fields: Mapping[str, Any]) -> str:
    """What tells the record from the others of its source."""
    values = (fields.get(name) for name in ID_KEYS)
    return next((str(one) for one in values if isinstance(one, str | int) and one != ""), "")


@cache
def kind_of(word: str) -> Kind | None:
    """The kind that a word stands for, in the engine's words or in those of a document."""
    plain = folded(word)
    own = next((kind for kind in KINDS if kind == plain), None) or _KINDS.get(plain)
    if own is not None or not plain:
        return own
    for preset in _DOCUMENTS:
        found = vocabulary_of(preset).find_kinds(word, KINDS)
        if found is not None:
            return next(kind for kind in KINDS if kind == found[1][0])
    return None


def read_moment(value: Any, name: str) -> datetime | None:
    """A time as other programs write it; nothing where nothing is said."""
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        value = read_time({"at": value})
        assert value is not None, "a number is a time or an error"
    try:
        return moment(value.strip().replace("/", "-") if isinstance(value, str) else value, name)
    except InvalidInput as error:
        raise UnreadableMessage(error.message) from error


def read_words(value: Any, name: str) -> tuple[str, ...]:
    """A list of words: of JSON, or of a text in which commas part them."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("["):
            try:
                return read_words(json.loads(text), name)
            except (ValueError, RecursionError) as error:
                raise UnreadableMessage(f"{name} is not a list: {error}") from error
        value = _BETWEEN_TAGS.split(text)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UnreadableMessage(f"{name} is {describe(value)}, not a list of words")
    return tuple(filter(None, (one.strip() for one in value)))


def read_share(fields: Mapping[str, Any], names: tuple[str, ...]) -> float | None:
    """A number from 0 to 1."""
    name, value = _first(fields, names)
    if value is None or value == "":
        return None
    try:
        share = float(value) if isinstance(value, str) else value
    except ValueError:
        share = value
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise UnreadableMessage(f"{name} is {str(value)[:60]!r}, not a number from 0 to 1")
    return float(share)


def _text(fields: Mapping[str, Any]) -> str:
    name, value = _first(fields, TEXT_KEYS)
    if value is None:
        raise UnreadableMessage("it has no text")
    if not isinstance(value, str):
        raise UnreadableMessage(f"{name} is {describe(value)}, not text")
    text = value.strip()
    if not text:
        raise UnreadableMessage("its text is empty")
    return _valid(text, name)


def _word(fields: Mapping[str, Any], names: tuple[str, ...]) -> str:
    name, value = _first(fields, names)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnreadableMessage(f"{name} is {describe(value)}, not text")
    return _valid(value.strip(), name)


def _valid(text: str, name: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UnreadableMessage(f"{name} is no valid Unicode") from error
    return text


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, Any]:
    """The first of these fields that says something."""
    for name in names:
        if fields.get(name) is not None:
            return name, fields[name]
    return names[0], None


def _time(fields: Mapping[str, Any], names: tuple[str, ...]) -> datetime | None:
    for name in names:
        found = read_moment(fields.get(name), name)
        if found is not None:
            return found
    return None


def _life(fields: Mapping[str, Any]) -> str:
    """How long it lives, where that is said in words that are known here."""
    for name in _LIFE_KEYS:
        value = fields.get(name)
        if isinstance(value, str) and is_duration(value.strip().lower()):
            return value.strip().lower()
    return ""


def _end(fields: Mapping[str, Any], last: datetime | None) -> datetime | None:
    """Until when it held; of what has ended without a time, when it was last changed."""
    end = _time(fields, _END_KEYS)
    status = fields.get("status")
    ended = isinstance(status, str) and status.strip().lower() in _ENDED
    if end is None and (ended or any(_says_yes(fields.get(name)) for name in _ENDED_KEYS)):
        return last or _EPOCH
    return end


def _says_yes(value: Any) -> bool:
    return value.strip().lower() not in _NO if isinstance(value, str) else bool(value)


def _metadata(fields: Mapping[str, Any], word: str) -> dict[str, Any]:
    """What the other program noted with it, where it is a small object."""
    value = fields.get("metadata")
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
    noted = dict(value) if isinstance(value, dict) else {}
    if len(json.dumps(noted, ensure_ascii=False, default=str)) > _MAX_METADATA:
        noted = {}
    return {**noted, IMPORTED_KIND: word} if word else noted
