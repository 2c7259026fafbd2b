"""Time-ordered UUIDs (version 7): ids sort by the moment they were made.

The twelve bits after the milliseconds count up within one millisecond, so that ids made by one
process stay in order even when a bulk write makes thousands of them at once. They also stay in
order when the machine's clock is set back: they then go on from the last one. Moments that are not
the machine's present, as of simulations, have sequences of their own.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from random import getrandbits  # reseeded in a forked child by the standard library

from mnemic.locks import ForkSafeLock
from mnemic.patterns import defer
from mnemic.types import SafeName, constant

_FORM = defer("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SECOND = 1000 << 12
_VARIANT = 0b10 << 62
_guard = ForkSafeLock()
_PRESENT = 1_000  # milliseconds by which a moment may differ from the machine's clock
_last = [0]
_last_present = [0]


def new_id(moment: datetime) -> SafeName:
    """A fresh id whose first 48 bits are ``moment`` in milliseconds."""
    return _spell(_take(moment, 1))


def new_ids(moment: datetime, count: int) -> list[SafeName]:
    """That many fresh ids, in order."""
    first = _take(moment, count)
    return [_spell(number) for number in range(first, first + count)]


def _take(moment: datetime, count: int) -> int:
    """The first of that many stamps that nobody else in this process gets."""
    millis = max(0, int(moment.timestamp() * 1000))
    present = abs(millis - time.time() * 1000) <= _PRESENT
    stamp = millis << 12
    with _guard:
        # Overflowing the counter borrows from the next millisecond.
        if stamp <= _last[0] < stamp + _SECOND:
            stamp = _last[0] + 1
        if present:
            stamp = max(stamp, _last_present[0] + 1)
            _last_present[0] = stamp + count - 1
        _last[0] = stamp + count - 1
    return stamp


def _spell(stamp: int) -> SafeName:
    high = (stamp >> 12 & 0xFFFFFFFFFFFF) << 16 | 0x7000 | stamp & 0xFFF
    text = f"{high << 64 | _VARIANT | getrandbits(62):032x}"
    return constant(f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}")


def is_not_after(id_: str, moment: datetime) -> bool:
    """Whether an id was made at that moment or before it, to the millisecond."""
    return int(id_[:8] + id_[9:13], 16) <= int(moment.timestamp() * 1000)


def last_id_of(moment: datetime) -> str:
    """What no id that was made at that moment or before it sorts after."""
    high = (max(0, int(moment.timestamp() * 1000)) & 0xFFFFFFFFFFFF) << 16 | 0x7FFF
    text = f"{high << 64 | (1 << 64) - 1:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def order_of(id_: str) -> int:
    """A number that grows with the ids of one process, and by the millisecond with all others."""
    return int(id_[:8] + id_[9:13] + id_[15:18], 16)


def read_moment(id_: str) -> datetime:
    """The moment an id was made, by the clock of whoever made it."""
    return datetime.fromtimestamp(int(id_.replace("-", "")[:12], 16) / 1000, UTC)


def is_id(text: str) -> bool:
    """Whether ``text`` has the form of one of our ids."""
    return _FORM.fullmatch(text) is not None
