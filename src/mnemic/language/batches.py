"""Batches: texts that are cheaper to process together than one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=str)
R = TypeVar("R")
FEW = 32  # texts for which it is not worth it
MOST = 1 << 21  # characters that are looked at together: memory grows with them


def together(
    texts: Sequence[T],
    fits: Callable[[str], bool],
    many: Callable[[Sequence[T]], list[R]],
    one: Callable[[T], R],
) -> list[R]:
    """``many`` of those that fit it and ``one`` of each other, in their order.

    Texts fit together, with a new line between them, when each of them fits.
    """
    if len(texts) < FEW:
        return list(map(one, texts))
    if sum(map(len, texts)) > MOST:
        middle = len(texts) // 2
        halves = texts[:middle], texts[middle:]
        return [result for half in halves for result in together(half, fits, many, one)]
    if fits("\n".join(texts)):
        return many(texts)
    fitting = [text for text in texts if fits(text)]
    if len(fitting) < FEW:
        return list(map(one, texts))
    rest = iter(many(fitting))
    return [next(rest) if fits(text) else one(text) for text in texts]
