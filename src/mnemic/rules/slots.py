"""The slot of a statement: what it is about, whatever the spelling.

Two statements with one subject and one predicate answer the same question. Some questions have one
answer at a time (which version, where somebody lives), others many (what somebody likes).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

from mnemic.late import data_of

SEPARATOR = "\x1f"
_SHORT = 40  # characters
_JOINTS = re.compile(r"[\s_\-]+")


def fold(text: str) -> str:
    """One form for width, case, and the joints between words."""
    return _fold_short(text) if len(text) <= _SHORT else _fold(text)


def _fold(text: str) -> str:
    return _JOINTS.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


_fold_short = lru_cache(4_096)(_fold)  # names and predicates, again and again


def subject_of(text: str) -> str:
    """One name for a subject; the owner has several in either language."""
    folded = fold(text)
    names = _load_names()
    return "user" if folded in names.owner else names.subjects.get(folded, folded)


def one_subject(left: str, right: str) -> bool:
    """Whether two statements may be about the same subject; an empty one may be any."""
    about, whom = subject_of(left), subject_of(right)
    return about == whom or not about or not whom


def predicate_of(text: str) -> str:
    """One name for a predicate; the common ones have the same name in either language."""
    folded = fold(text)
    return _load_names().predicates.get(folded, folded)


def slot_of(subject: str, predicate: str) -> str:
    """The key of a slot; empty when the statement has no subject or no predicate."""
    about, what = subject_of(subject), predicate_of(predicate)
    return f"{about}{SEPARATOR}{what}" if about and what else ""


def has_one_answer(predicate: str) -> bool:
    """Whether there is one answer at a time, so that another contradicts it.

    Of what is not known to be so there may be several: children, e-mail addresses, a database for
    each environment. Then only a stated change, a correction or an end ends one of them.
    """
    what, names = predicate_of(predicate), _load_names()
    shaped = what.endswith(names.one_endings) or what.startswith(names.one_beginnings)
    return what not in names.many and (shaped or what in names.single)


def value_type(predicate: str) -> str:
    """What a value of the slot has to be: a person, a place, a date …; empty for any words."""
    return _load_names().types.get(predicate_of(predicate), "")


def is_common(predicate: str) -> bool:
    """Whether a predicate is one of those that the engine itself knows."""
    what, names = predicate_of(predicate), _load_names()
    return what in names.spelled or what in names.single or what in names.many


def opposites(predicate: str) -> tuple[str, ...]:
    """Predicates that cannot hold of the same value at the same time."""
    return _load_names().opposites.get(predicate_of(predicate), ())


class _Names(NamedTuple):
    """slots.toml: names and predicates that the engine knows, each by any of its spellings."""

    owner: frozenset[str]
    subjects: dict[str, str]
    predicates: dict[str, str]
    spelled: frozenset[str]
    single: frozenset[str]
    one_endings: tuple[str, ...]
    one_beginnings: tuple[str, ...]
    many: frozenset[str]
    types: dict[str, str]
    opposites: dict[str, tuple[str, ...]]


@cache
def _load_names() -> _Names:
    import tomllib

    tables = tomllib.loads(data_of("mnemic.rules").joinpath("slots.toml").read_text("utf-8"))

    def by_member(table: dict[str, list[str]]) -> dict[str, str]:
        return {member: name for name, members in table.items() for member in members}

    return _Names(
        owner=frozenset(tables["owner"]),
        subjects=by_member(tables["subjects"]),
        predicates=by_member(tables["predicates"]),
        spelled=frozenset(tables["predicates"]),
        single=frozenset(tables["one"]),
        one_endings=tuple(tables["one_endings"]),
        one_beginnings=tuple(tables["one_beginnings"]),
        many=frozenset(tables["many"]),
        types=by_member(tables["types"]),
        opposites={name: tuple(others) for name, others in tables["opposites"].items()},
    )
