"""Secrets in many texts: one look over all of them tells which ones need a look of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mnemic.language.batches import together
from mnemic.language.secrets.cookies import COOKIE_HINTS
from mnemic.language.secrets.cues import cue_words
from mnemic.language.secrets.finder import (
    BEARER,
    LONG,
    SIGNS,
    SPELLED_HINTS,
    broken_starts,
    redact,
)
from mnemic.language.secrets.formats import CODES, SYNTAX, load_formats
from mnemic.language.secrets.numbers import LEAST_DIGITS
from mnemic.language.secrets.randomness import Bounds
from mnemic.language.secrets.seed_phrases import HINTS as SEED_HINTS
from mnemic.language.secrets.seed_phrases import SPACES, is_bare_list

Places = NDArray[np.int64]
_COMMON = " etaoinshrdlcumwfgypbvkjxqz"  # letters, from the most common to the rarest


class _Part(NamedTuple):
    """A part that a text with a secret has; ``at`` is where its rarest three characters stand."""

    text: str
    at: int
    folded: bool
    needs: str = ""  # characters of which the text has to have one besides


def redact_many(texts: Sequence[str], bounds: Bounds) -> list[str]:
    """``redact`` of each text."""
    return together(
        texts, str.isascii, partial(_redact_plain, bounds), partial(redact, bounds=bounds)
    )


def _redact_plain(bounds: Bounds, texts: Sequence[str]) -> list[str]:
    whole = "\n".join((*texts, ""))
    data = np.frombuffer(whole.encode("ascii"), np.uint8)
    ends = np.cumsum([len(text) + 1 for text in texts])
    places = np.concatenate([_after_long_runs(data), _single_characters(data)])
    suspects = set(np.searchsorted(ends, places, "right").tolist())
    digits = _counts(data, ends, _DIGITS)
    suspects.update(np.flatnonzero(digits >= LEAST_DIGITS).tolist())
    as_long = np.flatnonzero(np.isin(_counts(data, ends, " "), list(SPACES))).tolist()
    suspects.update(number for number in as_long if is_bare_list(texts[number]))
    has = np.where(digits > 0, _KINDS[_DIGITS], 0) | np.where(
        _counts(data, ends, SIGNS) > 0, _KINDS[SIGNS], 0
    )
    suspects.update(_with_parts(whole, data, ends, has | _KINDS[""]))
    known = (key for key in bounds.known if key in whole)
    suspects.update(n for key in known for n, text in enumerate(texts) if key in text)
    clean = list(texts)
    for suspect in suspects:
        clean[suspect] = redact(texts[suspect], bounds)
    return clean


def _after_long_runs(data: NDArray[np.uint8]) -> Places:
    """The ends of runs of that many characters from the exclamation mark to the tilde."""
    breaks = np.flatnonzero((data < ord("!")) | (data > ord("~")))
    return breaks[np.diff(breaks, prepend=-1) > LONG]


def _single_characters(data: NDArray[np.uint8]) -> Places:
    """Where four characters stand apart, each between two spaces or two hyphens."""
    places = []
    for joint in (ord(" "), ord("-")):
        joints = data == joint
        apart = joints[:-8] & joints[2:-6] & joints[4:-4] & joints[6:-2] & joints[8:]
        places.append(np.flatnonzero(apart))
    return np.concatenate(places)


def _counts(data: NDArray[np.uint8], ends: Places, characters: str) -> Places:
    """How many of these characters each text has."""
    counted = np.zeros(256, np.int32)
    counted[[ord(character) for character in characters]] = 1
    return np.add.reduceat(counted[data], np.concatenate([[0], ends[:-1]]), dtype=np.int64)


def _with_parts(whole: str, data: NDArray[np.uint8], ends: Places, has: Places) -> Iterator[int]:
    """The texts that have one of the parts that a secret needs, of the kinds that each may have."""
    first_pairs, table, parts = _tables()
    pairs = data[:-1].astype(np.uint16)
    pairs <<= 8
    pairs |= data[1:]
    places = np.flatnonzero(first_pairs[pairs[:-1]])
    triples = pairs[places].astype(np.int64) << 8 | data[places + 2]
    kinds = table[triples]
    likely = kinds != 0
    places, triples, kinds = places[likely], triples[likely], kinds[likely]
    owners = np.searchsorted(ends, places, "right")
    fitting = (kinds & has[owners]) != 0
    places, owners, triples = places[fitting], owners[fitting], triples[fitting]
    folded, allowed, done = whole.lower(), has.tolist(), -1
    for place, owner, triple in zip(
        places.tolist(), owners.tolist(), triples.tolist(), strict=True
    ):
        if owner == done:
            continue
        for part in parts[triple]:
            if not allowed[owner] & _KINDS[part.needs]:
                continue
            start = max(0, place - part.at)
            if (folded if part.folded else whole).startswith(part.text, start):
                yield owner
                done = owner
                break


@cache
def _tables() -> tuple[NDArray[np.bool_], NDArray[np.uint8], dict[int, list[_Part]]]:
    """The first two characters to look at closer; the kinds of parts that have three; the parts."""
    table, parts = np.zeros(1 << 23, np.uint8), dict[int, list[_Part]]()
    pairs = np.zeros(1 << 16, np.bool_)
    for part in _parts():
        rare = part.text[part.at : part.at + 3]
        cased = [{c, c.upper()} if part.folded else {c} for c in rare]
        cased += [set(map(chr, range(128)))] * (3 - len(rare))
        for letters in product(*cased):
            first, second, third = map(ord, letters)
            triple = first << 16 | second << 8 | third
            pairs[triple >> 8] = True
            table[triple] |= _KINDS[part.needs]
            parts.setdefault(triple, []).append(part)
    return pairs, table, parts


def _rarest(text: str) -> int:
    """Where the three characters of a part start that ordinary texts have least often."""

    def rarity(at: int) -> int:
        ranks = (_COMMON.find(character.lower()) for character in text[at : at + 3])
        return sum(len(_COMMON) if rank < 0 else rank for rank in ranks)

    return max(range(max(1, len(text) - 2)), key=rarity)


_DIGITS = "0123456789"
_KINDS = {"": 1, SIGNS: 2, _DIGITS: 4}


def _parts() -> Iterator[_Part]:
    def make(words: Iterable[str], folded: bool, needs: str = "") -> list[_Part]:
        return [_Part(w, _rarest(w), folded, needs) for w in words if w.isascii()]

    for word, folded in cue_words():
        yield from make([word], folded)
    yield from make((*SEED_HINTS, *SPELLED_HINTS, BEARER), True)
    yield from make(COOKIE_HINTS, True, SIGNS)
    for form in load_formats(*SYNTAX):
        yield from make(form.keywords, form.folded, SIGNS)
    for form in load_formats(*CODES):
        yield from make(form.keywords, form.folded, _DIGITS)
    yield from make(
        (start for starts in broken_starts().values() for start in starts), False, _DIGITS
    )
