"""Which sentences of a message are worth keeping, by a small network over the encoders' pieces.

Its arrays come with the reader's weights. It proposes; the laws of learning decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mnemic.providers.reader.inputs import PieceWindow

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SentenceNote:
    """How likely a careful person would remember a sentence, and what it is about."""

    keep: float
    relation: str


UNREAD = SentenceNote(0.0, "")


class SentenceHead:
    """The network of one script."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._relations = [str(name) for name in arrays["relations"]]
        self._arrays = {
            name: np.asarray(values, np.float32)
            for name, values in arrays.items()
            if name != "relations"
        }

    @classmethod
    def read(cls, path: Path) -> SentenceHead:
        with np.load(path) as arrays:
            return cls(dict(arrays))

    def judge(self, window: Floats, own: Floats) -> SentenceNote:
        """What a sentence says, by the notes of its window's first mark and of its own pieces."""
        joined = np.concatenate([window, own.max(axis=0), own.mean(axis=0)])
        middle = np.maximum(self._linear("middle", joined), 0.0)
        keep = 1 / (1 + np.exp(-self._linear("keep", middle)[0]))
        relation = self._relations[int(self._linear("relation", middle).argmax())]
        return SentenceNote(float(keep), relation)

    def _linear(self, name: str, values: Floats) -> Floats:
        product: Floats = self._arrays[f"{name}.weight"] @ values + self._arrays[f"{name}.bias"]
        return product


@dataclass(frozen=True, slots=True)
class NotedMessage:
    """A message with the notes of each piece, a row of them a window."""

    head: SentenceHead
    windows: Sequence[tuple[PieceWindow, Floats]]

    def judge(self, start: int, end: int) -> SentenceNote:
        """What a stretch of the message says, by the window that has most of it."""
        own, notes = max(
            ((_pieces(window, start, end), notes) for window, notes in self.windows),
            key=lambda one: len(one[0]),
            default=([], np.zeros((0, 0), np.float32)),
        )
        return self.head.judge(notes[0], notes[own]) if own else UNREAD


def _pieces(window: PieceWindow, start: int, end: int) -> list[int]:
    first = len(window.ids) - 1 - len(window.offsets)
    return [first + n for n, (a, b) in enumerate(window.offsets) if a < end and b > start]
