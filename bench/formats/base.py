"""A bank (one isolated memory with questions), and the protocol of a reader of one format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Record = Mapping[str, Any]
MALFORMED = (KeyError, TypeError, ValueError, AttributeError)


@dataclass(frozen=True, slots=True)
class Item:
    """One message of a bank."""

    id: str
    text: str
    timestamp: str = ""
    speaker: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the items that answer it, and those that are out of date.

    The rest is for answering it: the ``answer``, or the ``choices`` by label and the ``right``
    label, or the ``rubric`` of an answer; ``at`` is when it is asked. A question that cannot be
    ``answerable`` from the bank has no gold.
    """

    id: str
    query: str
    gold: tuple[str, ...]
    category: str = ""
    avoid: tuple[str, ...] = ()
    answer: str = ""
    choices: Mapping[str, str] | None = None
    right: str = ""
    rubric: tuple[str, ...] = ()
    at: str = ""
    answerable: bool = True


@dataclass(frozen=True, slots=True)
class Bank:
    """One memory; ``format`` is the name of the format it was read from."""

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]
    format: str = "bank"


class Format(Protocol):
    """Reads the records of one published format, one bank each."""

    @property
    def name(self) -> str: ...

    @property
    def record(self) -> str:
        """The fields of a record, for the error where one is malformed."""

    def fits(self, record: Record) -> bool:
        """Whether a record is of this format."""

    def bank(self, record: Record, path: tuple[str, ...]) -> Bank | None:
        """The bank of a record, or None where the publisher leaves it out.

        ``path`` is where the record stands in its document. A malformed record raises one of
        MALFORMED.
        """


class MalformedPart(ValueError):
    """A part of a record that cannot be read, with its place in the record."""


def each(label: str, values: Iterable[Any], read: Callable[[int, Any], T]) -> tuple[T, ...]:
    """What ``read`` makes of every value; a failure names the place of the value."""
    made: list[T] = []
    for place, value in enumerate(values):
        try:
            made.append(read(place, value))
        except MalformedPart as error:
            raise MalformedPart(f"{label} {place}, {error}") from error
        except MALFORMED as error:
            raise MalformedPart(f"{label} {place}: {error!r}") from error
    return tuple(made)


def text_of(value: object) -> str:
    """A text as it is; anything else is malformed."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def moment(text: object, *patterns: str) -> str:
    """A published date in ISO 8601; none is published with a zone."""
    written = " ".join(text_of(text).split())
    for pattern in patterns:
        try:
            return datetime.strptime(written, pattern).isoformat()  # noqa: DTZ007
        except ValueError:
            continue
    raise ValueError(f"{written!r} is not a date of the form {patterns[0]!r}")
