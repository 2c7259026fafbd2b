"""Texts that are cheaper to look at together than one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

R = TypeVar("R")
FEW = 32  # texts for which it is not worth it
MOST = 1 << 21  # characters that are looked at together: memory grows with them


def together(
    texts: Sequence[str],
    fits: Callable[[str], bool],
    many: Callable[[Sequence[str]], list[R]],
    one: Callable[[str], R],
) -> list[R]:
    """``many`` of those that fit it and ``one`` of each other, in their order.

    Texts fit together, with a new line between them, when each of them fits.
    """
    found: list[R] = []
    for portion in _portions(texts):
        found += _together(portion, fits, many, one)
    return found


def _portions(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    start = size = 0
    for place, text in enumerate(texts):
        size += len(text)
        if size > MOST:
            yield texts[start:place]
            start, size = place, len(text)
    yield texts[start:]


def _together(
    texts: Sequence[str],
    fits: Callable[[str], bool],
    many: Callable[[Sequence[str]], list[R]],
    one: Callable[[str], R],
) -> list[R]:
    if len(texts) < FEW:
        return list(map(one, texts))
    if fits("\n".join(texts)):
        return many(texts)
    fitting = [text for text in texts if fits(text)]
    if len(fitting) < FEW:
        return list(map(one, texts))
    found = iter(many(fitting))
    return [next(found) if fits(text) else one(text) for text in texts]
