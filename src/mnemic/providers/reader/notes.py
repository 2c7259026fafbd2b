"""Which sentences of a message are worth keeping and whose words they are, by two small networks
over the encoders' pieces.

Their arrays come with the reader's weights. They propose; the laws of learning decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from mnemic.late import NDArray, dataclass, np
from mnemic.providers.reader.inputs import PieceWindow

Floats: TypeAlias = "NDArray[np.float32]"


class SentenceHead:
    """The network of one script."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = {
            name: np.asarray(values, np.float32)
            for name, values in arrays.items()
            if name != "relations"  # the names of what it judges besides
        }

    def keep(self, window: Floats, pieces: Floats) -> float:
        """How likely a careful person would remember a sentence, by the notes of its window's first
        mark and of its own pieces.
        """
        middle = _relu(self._linear("middle", _join(window, pieces)))
        return _likely(self._linear("keep", middle)[0])

    def ends(self, notes: Floats, pieces: Sequence[int]) -> float:
        """How likely the ``own`` pieces of a window end what stands beside them."""
        beside = np.delete(notes, pieces, axis=0)
        parts = _join(notes[0], notes[pieces]), beside.max(axis=0), beside.mean(axis=0)
        middle = _relu(self._linear("changed", np.concatenate(parts)))
        return _likely(self._linear("ends", middle)[0])

    def _linear(self, name: str, values: Floats) -> Floats:
        product: Floats = self._arrays[f"{name}.weight"] @ values + self._arrays[f"{name}.bias"]
        return product


class VoiceHead:
    """The network of one script that tells somebody else's text from the user's own words, by all
    stretches of a message and their layout.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = {name: np.asarray(values, np.float32) for name, values in arrays.items()}

    def judge(self, stretches: Floats, layout: Floats) -> Floats:
        """How likely each stretch is somebody else's; its row is what the window's first mark and
        its pieces say of it.
        """
        rows = _relu(self._linear("told", np.concatenate([stretches, layout], axis=1)))
        likeness = self._linear("asks", rows) @ self._linear("answers", rows).T
        likeness = np.exp(likeness - likeness.max(axis=1, keepdims=True))
        seen = likeness / likeness.sum(axis=1, keepdims=True) @ self._linear("says", rows)
        nothing = np.zeros_like(rows[:1])
        before, after = np.vstack([nothing, rows[:-1]]), np.vstack([rows[1:], nothing])
        ends = (np.broadcast_to(rows[n], rows.shape) for n in (0, -1))
        joined = np.concatenate([rows, seen, before, after, *ends], axis=1)
        middle = _relu(self._linear("middle", joined))
        return (1 / (1 + np.exp(-self._linear("foreign", middle)[:, 0]))).astype(np.float32)

    def _linear(self, name: str, rows: Floats) -> Floats:
        product: Floats = rows @ self._arrays[f"{name}.weight"].T + self._arrays[f"{name}.bias"]
        return product


def _join(window: Floats, pieces: Floats) -> Floats:
    joined: Floats = np.concatenate([window, pieces.max(axis=0), pieces.mean(axis=0)])
    return joined


def _likely(value: np.float32) -> float:
    return float(1 / (1 + np.exp(-value)))


def _relu(values: Floats) -> Floats:
    positive: Floats = np.maximum(values, 0.0)
    return positive


@dataclass(frozen=True, slots=True)
class VoicedMessage:
    """A message with what each piece says of its voice, a row of them a window."""

    head: VoiceHead
    windows: Sequence[tuple[PieceWindow, Floats]]

    def judge(self, places: Sequence[tuple[int, int]], layout: Sequence[Sequence[float]]) -> Floats:
        """How likely each stretch is somebody else's text."""
        return self.head.judge(voice_rows(self.windows, places), np.array(layout, np.float32))


def voice_rows(
    windows: Sequence[tuple[PieceWindow, Floats]], places: Sequence[tuple[int, int]]
) -> Floats:
    """What the window's first mark and the pieces of each stretch say, a row a stretch."""
    rows = []
    for place in places:
        pieces, notes = _best(windows, *place)
        rows.append(np.concatenate([notes[0], notes[pieces or [0]].mean(axis=0)]))
    return np.stack(rows)


@dataclass(frozen=True, slots=True)
class NotedMessage:
    """A message with the notes of each piece, a row of them a window."""

    head: SentenceHead
    windows: Sequence[tuple[PieceWindow, Floats]]

    def keep(self, start: int, end: int) -> float | None:
        """How likely a stretch of the message is worth keeping, by the window that has most of it;
        None where it lies beyond what is read.
        """
        pieces, notes = _best(self.windows, start, end)
        return self.head.keep(notes[0], notes[pieces]) if pieces else None

    def ends(self, length: int) -> float:
        """How likely it ends what it was read beside; ``length`` is that of the message."""
        pieces, notes = _best(self.windows, 0, length)
        return self.head.ends(notes, pieces) if pieces else 0.0


def _best(
    windows: Sequence[tuple[PieceWindow, Floats]], start: int, end: int
) -> tuple[list[int], Floats]:
    """The pieces of a stretch in the window that has most of it, and what is read there."""
    return max(
        ((_pieces(window, start, end), notes) for window, notes in windows),
        key=lambda stretch: len(stretch[0]),
        default=([], np.zeros((0, 0), np.float32)),
    )


def _pieces(window: PieceWindow, start: int, end: int) -> list[int]:
    first = len(window.ids) - 1 - len(window.offsets)
    return [first + n for n, (a, b) in enumerate(window.offsets) if a < end and b > start]
