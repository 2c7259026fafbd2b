"""What scoring needs to know of a space's text: how much there is, how long, how common a term is.

Measured from a sample and kept per process, since it moves slowly; measured again once the space
has grown by a tenth.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import apsw

from recollect.rules import bm25
from recollect.store.documents import first_doc, last_doc, place_of, type_of
from recollect.types import RECORD_TYPES, RecordType

SMALL = 3_000  # up to this many documents nothing is estimated
_FREQUENCY_LIMIT = 100_000
_SAMPLE = 400


@dataclass(slots=True)
class SpaceStats:
    """The figures of one space."""

    sizes: dict[RecordType, int]
    length: float
    frequency: dict[str, int] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return sum(self.sizes.values())

    def remember(self, term: str, rows: int) -> None:
        """Keep the frequency of a common term, which is dear to count."""
        if self.rows > SMALL:
            if len(self.frequency) >= _FREQUENCY_LIMIT:
                self.frequency.clear()
            self.frequency[term] = rows

    def position(self, doc: int) -> int:
        """How many documents of the space stand before this one."""
        before = 0
        for type_, size in self.sizes.items():
            if type_ == type_of(doc):
                return before + place_of(doc)
            before += size
        return before


class TextStats:
    """The figures of every space of one store, shared by its connections."""

    def __init__(self) -> None:
        self._spaces: dict[int, SpaceStats] = {}

    def forget(self) -> None:
        """Measure anew: terms that are kept here may be of texts that were removed."""
        self._spaces.clear()

    def of(self, conn: apsw.Connection, space: int) -> SpaceStats:
        sizes = {type_: _size(conn, space, type_) for type_ in RECORD_TYPES}
        cached = self._spaces.get(space)
        if cached is not None and _is_near(sum(sizes.values()), cached.rows):
            cached.sizes = sizes
            return cached
        stats = self._spaces[space] = SpaceStats(sizes, _length(conn, space, sizes))
        return stats


def _is_near(rows: int, counted: int) -> bool:
    return rows == counted or (counted > SMALL and counted <= rows < counted * 1.1)


def _size(conn: apsw.Connection, space: int, type_: RecordType) -> int:
    """Documents of a type, taking their numbers to be nearly gapless."""
    first = first_doc(space, type_)
    highest = conn.execute(
        "SELECT max(doc) FROM text_terms WHERE doc BETWEEN ? AND ?",
        (first, last_doc(space, type_)),
    ).get
    return 0 if highest is None else int(highest) - first + 1


def _length(conn: apsw.Connection, space: int, sizes: dict[RecordType, int]) -> float:
    """The mean length in terms, short texts counted as ``bm25.SHORT``."""
    lengths: list[int] = []
    for type_, size in sizes.items():
        first = first_doc(space, type_)
        sample = range(first, first + size, max(1, size // _SAMPLE))
        rows = conn.execute(
            "SELECT length(t.packed) FROM json_each(?) d"
            " CROSS JOIN text_terms t ON t.doc = d.value",
            (str(list(sample)),),
        )
        lengths += [max(bm25.SHORT, bytes_ // bm25.TERM_BYTES) for (bytes_,) in rows]
    return sum(lengths) / len(lengths) if lengths else float(bm25.SHORT)
