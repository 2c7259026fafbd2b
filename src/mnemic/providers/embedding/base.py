"""The protocol of an embedder, and the checks of its vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from mnemic.errors import BadVector
from mnemic.late import NDArray, np

Vector: TypeAlias = "NDArray[np.float32]"  # one dimension
Vectors: TypeAlias = "NDArray[np.float32]"  # one row for each text


class Embedder(Protocol):
    """Makes vectors of texts. Two embedders with one name make the same vectors."""

    @property
    def name(self) -> str:
        """The model and its variant, such as ``mnemic-reader-1``; stored with each vector."""

    @property
    def dimensions(self) -> int:
        """The length of a vector; 0 while a server that decides it has not answered yet."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """A row of unit length for each text, zeros if it knows no word; ``query`` embeds one."""


def expect(embedder: Embedder, dimensions: int) -> None:
    """Set the length of vectors for an embedder whose server decides it."""
    learn = getattr(embedder, "expect", None)  # at every query: a protocol is slow to check
    if dimensions and learn is not None:
        learn(dimensions)


def clear_cache(embedder: Embedder) -> None:
    """Clear the cache of an embedder that has one."""
    if forget := getattr(embedder, "forget", None):
        forget()


def release(embedder: Embedder) -> None:
    """Drop the connections of an embedder that has some; it can still be used."""
    if close := getattr(embedder, "close", None):
        close()


def check_vectors(answer: object, *, texts: int, dimensions: int, model: str) -> Vectors:
    """A model's answer as finite rows of unit length; ``dimensions`` 0 takes any."""
    rows = _numbers(answer, model)
    if rows.ndim != 2 or rows.shape[0] != texts or rows.shape[1] == 0:
        raise BadVector(
            f"{model} answered vectors of shape {rows.shape} for {texts} texts",
            remedy="Check that the model is one for embeddings",
        )
    if dimensions and rows.shape[1] != dimensions:
        raise BadVector(
            f"{model} answered {rows.shape[1]} dimensions where {dimensions} were expected",
            remedy="Set embedding.dimensions to what the model makes, and index again",
        )
    if not np.isfinite(rows).all():
        raise BadVector(f"{model} answered a vector with a number that is not finite")
    return unit(rows)


def unit(rows: NDArray[np.floating]) -> Vectors:
    """Each row divided by its length; rows of zeros stay."""
    # Scaled by the largest entry first: the squares of very large numbers would not be finite.
    wide = rows.astype(np.float64)
    largest = np.abs(wide).max(axis=1, keepdims=True, initial=0.0)
    wide /= np.where(largest > 0, largest, 1.0)
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    return (wide / np.where(length > 0, length, 1.0)).astype(np.float32)


def _numbers(answer: object, model: str) -> NDArray[np.floating]:
    try:
        rows = np.asarray(answer)
    except (ValueError, TypeError, OverflowError) as error:
        raise BadVector(f"{model} answered vectors of different lengths") from error
    # Checked by the kind that came: a cast would read numbers out of strings and truths.
    if rows.dtype.kind not in "fiu":
        raise BadVector(f"{model} answered a vector with something that is not a number")
    return rows.astype(np.float64) if rows.dtype.kind in "iu" else rows
