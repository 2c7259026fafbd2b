"""Secrets in many texts: one look over all of them tells which ones need a look of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from recollect.rules.secrets import BROKEN_LITERALS, LONG, SHORT_LITERALS, redact
from recollect.rules.secrets_looks import Bounds
from recollect.rules.secrets_names import CAPITALS, FOLDED
from recollect.rules.secrets_numbers import LEAST_DIGITS
from recollect.rules.secrets_plain import FOLDED_HINTS
from recollect.rules.secrets_seeds import is_bare_list
from recollect.rules.together import together

Places = NDArray[np.int64]


def redact_many(texts: Sequence[str], bounds: Bounds) -> list[str]:
    """``redact`` of each text."""
    return together(
        texts, str.isascii, partial(_redact_plain, bounds), partial(redact, bounds=bounds)
    )


def _redact_plain(bounds: Bounds, texts: Sequence[str]) -> list[str]:
    data = np.frombuffer("\n".join((*texts, "")).encode("ascii"), np.uint8)
    ends = np.cumsum([len(text) + 1 for text in texts])
    places = np.concatenate(
        [_after_long_runs(data), _starts_of_parts(data), _single_characters(data)]
    )
    suspects = set(np.searchsorted(ends, places, "right").tolist())
    suspects.update(_with_many_digits(data, ends).tolist())
    suspects.update(number for number, text in enumerate(texts) if is_bare_list(text))
    clean = list(texts)
    for suspect in suspects:
        clean[suspect] = redact(texts[suspect], bounds)
    return clean


def _after_long_runs(data: NDArray[np.uint8]) -> Places:
    """The ends of runs of that many characters from the exclamation mark to the tilde."""
    breaks = np.flatnonzero((data < ord("!")) | (data > ord("~")))
    return breaks[np.diff(breaks, prepend=-1) > LONG]


def _starts_of_parts(data: NDArray[np.uint8]) -> Places:
    """Where something begins as one of the parts does that a secret needs."""
    pairs = data[:-1].astype(np.uint16)
    pairs <<= 8
    pairs |= data[1:]
    places = np.flatnonzero(_FIRST_PAIRS[pairs])
    return places[_NEXT_PAIRS[pairs[np.minimum(places + 1, len(pairs) - 1)]]]


def _single_characters(data: NDArray[np.uint8]) -> Places:
    """Where four characters stand apart, each between two spaces or two hyphens."""
    found = []
    for joint in (ord(" "), ord("-")):
        joints = data == joint
        apart = joints[:-8] & joints[2:-6] & joints[4:-4] & joints[6:-2] & joints[8:]
        found.append(np.flatnonzero(apart))
    return np.concatenate(found)


def _with_many_digits(data: NDArray[np.uint8], ends: Places) -> Places:
    """The texts that have digits enough for a personal number."""
    digits = np.flatnonzero((data >= ord("0")) & (data <= ord("9")))
    counts = np.bincount(np.searchsorted(ends, digits, "right"), minlength=1)
    return np.flatnonzero(counts >= LEAST_DIGITS)


def _pairs_at(place: int) -> NDArray[np.bool_]:
    """The pairs of characters that the parts have there; any where a part has ended."""
    truths = np.zeros((256, 256), np.bool_)
    folded = (*FOLDED, *FOLDED_HINTS)
    for part in (*SHORT_LITERALS, *CAPITALS, *BROKEN_LITERALS, *folded):
        pair = part[place : place + 2]
        cased = [{c.lower(), c.upper()} if part in folded else {c} for c in pair]
        for letters in product(*cased):
            truths[tuple(map(ord, letters))] = True
    return truths.ravel()


_FIRST_PAIRS, _NEXT_PAIRS = _pairs_at(0), _pairs_at(1)
