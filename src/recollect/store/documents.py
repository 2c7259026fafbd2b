"""How a record's place in the text index is numbered.

A document number holds the space in its high bits, then the record type, then a counter. FTS5 can
seek within a range of row ids, so a search of one space and type reads only their part of each
term's list, and no filter can forget the space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.types import RecordType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Docs = NDArray[np.int64]
    Flags = NDArray[np.bool_]

_COUNTER_BITS = 36
_TYPE_BITS = 3
_TYPE_NUMBERS: dict[RecordType, int] = {"turn": 0, "memory": 1, "episode": 2, "attachment": 3}
TABLES: dict[RecordType, str] = {
    "turn": "turns",
    "memory": "memories",
    "episode": "episodes",
    "attachment": "attachments",
}
_TYPES: dict[int, RecordType] = {number: name for name, number in _TYPE_NUMBERS.items()}

MAX_SPACES = (1 << (63 - _COUNTER_BITS - _TYPE_BITS)) - 1
NOBODY = MAX_SPACES  # the number of a space that was never written to: it owns no row


def number_of(space: int, type_: RecordType) -> int:
    """One number for a space and a type."""
    return space << _TYPE_BITS | _TYPE_NUMBERS[type_]


def first_doc(space: int, type_: RecordType) -> int:
    """The lowest number of that space and type."""
    return number_of(space, type_) << _COUNTER_BITS


def last_doc(space: int, type_: RecordType) -> int:
    """The highest number of that space and type."""
    return first_doc(space, type_) + (1 << _COUNTER_BITS) - 1


def type_of(doc: int) -> RecordType:
    """The record type a document number belongs to."""
    return _TYPES[doc >> _COUNTER_BITS & (1 << _TYPE_BITS) - 1]


def are_of(docs: Docs, type_: RecordType) -> Flags:
    """Which numbers of an array belong to that type."""
    kinds = docs >> _COUNTER_BITS & (1 << _TYPE_BITS) - 1
    flags: Flags = kinds == _TYPE_NUMBERS[type_]
    return flags


def place_of(doc: int) -> int:
    """A document's counter within its space and type."""
    return doc & (1 << _COUNTER_BITS) - 1
