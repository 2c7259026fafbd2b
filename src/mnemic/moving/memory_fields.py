"""Fields of a record that another program wrote, and the memory that an object of them is.

The usual names of fields are known, and the words of the presets' documents for kinds. What has
ended there (superseded, archived, expired, deleted) is a memory that has ended here, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from mnemic.errors import InvalidInput
from mnemic.language.dates.moments import moment
from mnemic.language.extract import extract
from mnemic.record.messages import UnreadableMessage, describe, read_text, read_trust, time_of
from mnemic.rules.lifetimes import is_duration
from mnemic.rules.speakers import least_trusted
from mnemic.settings.vocabulary import fold, vocabulary_of
from mnemic.types import KINDS, Kind, NewMemory, Trust

TEXT_KEYS = ("text", "content", "memory", "statement", "document", "data")
ID_KEYS = ("id", "uuid", "memory_id")
_KIND_KEYS = ("kind", "type", "category", "memory_type", "fact_type")
_CREATED_KEYS = ("created_at", "learned_at", "created", "timestamp", "date", "time", "at")
_UPDATED_KEYS = ("updated_at", "updated", "modified")
_END_KEYS = ("valid_to", "invalid_at", "superseded_at", "archived_at", "deleted_at")
_ENDED_KEYS = ("superseded_by", "archived", "is_archived", "deleted", "is_deleted")
_ENDED = frozenset("superseded archived rejected deleted expired inactive obsolete pending".split())
_LIFE_KEYS = ("duration", "priority")
_NO = frozenset(("", "0", "false", "no", "none", "null"))
_BETWEEN_TAGS = re.compile(r"[,;，；、]")
# What other systems write of the user, and how the user would say it.
_OF_USER = re.compile(r"\s*(?P<who>用户|(?:the )?user\b)\s*", re.I)
_SPOKEN = {"用": "我", "t": "I ", "T": "I ", "u": "I ", "U": "I "}
_THIRD = re.compile(r"^I (\w+?)s\b(?!')")
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
_LONGEST = 1_000_000  # characters of a statement
_NAME = 200
_METADATA = 3_000  # characters, so that there is room for what the import notes beside it
_TAGS = 20
_EXACT = 2**53


def read_memory(fields: Mapping[str, Any], trust: Trust) -> NewMemory:
    """The memory that a record holds; ``UnreadableMessage`` says why there is none."""
    text = read_statement(fields, *TEXT_KEYS)
    word = _read_word(fields, *_KIND_KEYS)
    kind = kind_of(word)
    if kind == "credential":
        raise UnreadableMessage(
            "it is a credential, which is kept only on request; add it yourself"
        )
    created = read_moment(fields, *_CREATED_KEYS)
    updated = read_moment(fields, *_UPDATED_KEYS)
    expires = read_moment(fields, "expires_at", "expiration_date")
    life = _read_life(fields)
    if life == "transient" and expires is None and (updated or created):
        expires = (updated or created or _EPOCH) + _DAY  # it was of a session that is over
    confidence = read_share(fields, "confidence")
    stated = read_trust(fields.get("trust") or None)
    noted = {} if kind or not word else {IMPORTED_KIND: word}
    slot = _read_slot(fields, text, updated or created or _EPOCH)
    return NewMemory(
        text,
        kind or "fact",
        subject=slot[0],
        predicate=slot[1],
        value=slot[2],
        project=_read_word(fields, "project") or None,
        topic=_read_word(fields, "topic") or None,
        tags=read_words(fields.get("tags"), "tags"),
        metadata={**small_metadata(_read_metadata(fields)), **noted},
        importance=read_share(fields, "importance", "importance_score"),
        confidence=1.0 if confidence is None else confidence,
        trust=trust if stated is None else least_trusted((trust, stated)),
        valid_from=read_moment(fields, "valid_from", "valid_at"),
        valid_to=_read_end(fields, updated or created),
        expires_at=expires,
        duration="" if expires is not None else life,
        learned_at=created,
    )


def _read_slot(fields: Mapping[str, Any], text: str, at: datetime) -> tuple[str, str, str]:
    """Subject, predicate and value; where a record names none, as the rules read its statement."""
    named = _read_word(fields, "subject"), _read_word(fields, "predicate")
    about_user = _OF_USER.match(text)
    if any(named) or about_user is None:
        return *named, _read_word(fields, "value", "object")
    in_first_person = _THIRD.sub(
        r"I \1", _OF_USER.sub(_SPOKEN[about_user["who"][0]], text, count=1)
    )
    candidates = extract(in_first_person.replace("I 's ", "My "), said_at=at)
    candidate = candidates[0] if len(candidates) == 1 else None
    return ("user", candidate.predicate, candidate.value) if candidate else ("user", "", "")


def read_key(fields: Mapping[str, Any]) -> str:
    """What tells the record from the others of its source."""
    values = (fields.get(name) for name in ID_KEYS)
    return next((str(key) for key in values if isinstance(key, str | int) and key != ""), "")


@cache
def kind_of(word: str) -> Kind | None:
    """The kind that a word stands for, in the engine's words or in those of a document."""
    plain = fold(word)
    kind = next((kind for kind in KINDS if kind == plain), None) or _KINDS.get(plain)
    for preset in _DOCUMENTS if plain and kind is None else ():
        entry = vocabulary_of(preset).find_kinds(word, KINDS)
        if entry is not None:
            return next(kind for kind in KINDS if kind == entry[1][0])
    return kind


# --- one field ------------------------------------------------------------------------------------


def read_moment(fields: Mapping[str, Any], *names: str) -> datetime | None:
    """The first of these times that is there, as other programs write them."""
    for name in names:
        value = fields.get(name)
        if value is None or value == "":
            continue
        at = time_of(value) or value
        try:
            return moment(at.strip().replace("/", "-") if isinstance(at, str) else at, name)
        except InvalidInput as error:
            raise UnreadableMessage(error.message) from error
    return None


def read_statement(fields: Mapping[str, Any], *names: str) -> str:
    """The first of these texts that is there; a record that has none says nothing."""
    text = read_text(fields, *names).strip()
    if not text:
        raise UnreadableMessage(f"it has no {names[0]}")
    return check_text(text)


def check_text(text: str) -> str:
    """A text that can be stored."""
    if len(text) > _LONGEST:
        raise UnreadableMessage(f"it has {len(text):,} characters, more than {_LONGEST:,}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UnreadableMessage("it has half a surrogate pair") from error
    return text


def short_name(value: object) -> str:
    """One line of a name, cut; nothing of a value that is not text."""
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return text[:_NAME].encode(errors="replace").decode()


def short_names(values: object) -> tuple[str, ...]:
    """Tags: each once, a few of them."""
    listed = values if isinstance(values, Iterable) and not isinstance(values, str) else ()
    return tuple(filter(None, dict.fromkeys(map(short_name, listed))))[:_TAGS]


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
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise UnreadableMessage(f"{name} is {describe(value)}, not a list of words")
    return tuple(filter(None, (word.strip() for word in value)))


def read_share(fields: Mapping[str, Any], *names: str) -> float | None:
    """A number from 0 to 1."""
    name = next((name for name in names if fields.get(name) not in (None, "")), "")
    if not name:
        return None
    value = fields[name]
    try:
        share = float(value) if isinstance(value, str) else value
    except ValueError:
        share = value
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise UnreadableMessage(f"{name} is {str(value)[:60]!r}, not a number from 0 to 1")
    return float(share)


def small_metadata(values: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values to keep beside a memory; where they are too long, the longest are left out."""
    plain = {short_name(key): _make_plain(value) for key, value in values.items()}
    sizes = {
        key: len(json.dumps(value)) + len(key)
        for key, value in plain.items()
        if key and value not in (None, "", [], {})
    }
    while sum(sizes.values()) + 10 * len(sizes) > _METADATA:
        del sizes[max(sizes, key=lambda key: sizes[key])]
    return {key: plain[key] for key in sizes}


def _make_plain(value: object, depth: int = 4) -> Any:
    """A JSON value that any store takes; None for everything else."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, bool) or (isinstance(value, int | float) and abs(value) < _EXACT):
        return value
    if depth and isinstance(value, list):
        return [_make_plain(inner, depth - 1) for inner in value]
    if depth and isinstance(value, dict):
        return {short_name(key): _make_plain(inner, depth - 1) for key, inner in value.items()}
    return None


def _read_word(fields: Mapping[str, Any], *names: str) -> str:
    return check_text(read_text(fields, *names).strip())


def _read_life(fields: Mapping[str, Any]) -> str:
    """How long it lives, where that is said in words that are known here."""
    words = (str(fields.get(name)).strip().lower() for name in _LIFE_KEYS)
    return next(filter(is_duration, words), "")


def _read_end(fields: Mapping[str, Any], last: datetime | None) -> datetime | None:
    """Until when it held; of what has ended without a time, when it was last changed."""
    end = read_moment(fields, *_END_KEYS)
    status = fields.get("status")
    ended = isinstance(status, str) and status.strip().lower() in _ENDED
    if end is None and (ended or any(_says_yes(fields.get(name)) for name in _ENDED_KEYS)):
        return last or _EPOCH
    return end


def _says_yes(value: Any) -> bool:
    return value.strip().lower() not in _NO if isinstance(value, str) else bool(value)


def _read_metadata(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the other program noted with it, as an object or as JSON."""
    value = fields.get("metadata")
    if isinstance(value, str):
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    return value if isinstance(value, dict) else {}
