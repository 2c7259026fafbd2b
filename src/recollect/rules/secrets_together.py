"""Secrets in many texts: one look over all of them tells which ones need a look of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from recollect.rules.secrets import LONG, SHORT_LITERALS, redact
from recollect.rules.secrets_looks import Bounds
from recollect.rules.secrets_names import CAPITALS, FOLDED
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
    places = np.concatenate([_after_long_runs(data), _starts_of_parts(data)])
    clean = list(texts)
    for suspect in np.unique(np.searchsorted(ends, places, "right")).tolist():
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


def _pairs_at(place: int) -> NDArray[np.bool_]:
    """The pairs of characters that the parts have there; any where a part has ended."""
    truths = np.zeros((256, 256), np.bool_)
    for part in (*SHORT_LITERALS, *CAPITALS, *FOLDED):
        pair = part[place : place + 2]
        cased = [{c.lower(), c.upper()} if part in FOLDED else {c} for c in pair]
        for letters in product(*cased):
            truths[tuple(map(ord, letters))] = True
    return truths.ravel()


_FIRST_PAIRS, _NEXT_PAIRS = _pairs_at(0), _pairs_at(1)
