"""The local default: a static vector for each piece of a word, summed over the text.

The vectors come with the ``wordllama`` package. Its two data files are read where pip put them;
its code, which can also download, is never imported.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mnemic.errors import MissingExtra, ModelRefused
from mnemic.locks import ForkSafeLock
from mnemic.providers.embedding.base import Vector, Vectors, unit_vector
from mnemic.providers.embedding.word_pieces import WordPieces

_PACKAGE = "wordllama"
WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_DIMENSIONS = 256
_SLICE = 4096  # pieces summed at a time: 4 MB, whatever the length of the text


class LocalEmbedder:
    """WordLlama's 256 dimensions. Loads at first use; safe to use from several threads."""

    name: str = "wordllama-l2-256"
    dimensions = _DIMENSIONS

    def __init__(self, folder: Path | None = None) -> None:
        """``folder`` holds ``weights/`` and ``tokenizers/``; by default the installed package."""
        self._folder = folder
        self._table: PieceVectors | None = None
        self._loading = ForkSafeLock()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        table = self._loaded()
        rows = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for at, text in enumerate(texts):
            rows[at] = unit_vector(table.of_text(text))
        return rows

    def embed_words(self, words: Sequence[tuple[str, float]]) -> Vector:
        """The vector of words weighed by the caller, such as by how rare they are in a memory.

        Fixed weights cannot do this: what must be played down in a question is what that memory
        is full of, the names of its people first of all.
        """
        return unit_vector(self._loaded().of_words(words))

    def forget(self) -> None:
        """Clear the cache of words."""
        if self._table is not None:
            self._table.forget()

    def _loaded(self) -> PieceVectors:
        if self._table is None:
            with self._loading:
                if self._table is None:
                    self._table = PieceVectors(self._folder or installed())
        return self._table


class PieceVectors:
    """The vectors of the pieces, widened one by one as they are met."""

    dimensions = _DIMENSIONS

    def __init__(self, folder: Path) -> None:
        self._pieces = WordPieces(folder / TOKENIZER)
        self._half = read_weights(folder / WEIGHTS)
        if len(self._half) != self._pieces.size:
            raise ModelRefused(
                f"{folder.name} has {len(self._half)} vectors for {self._pieces.size} pieces",
                remedy="Install wordllama again",
            )
        # Half floats are mapped from the file, and slow to add. What is never met stays there.
        self._wide = np.empty(self._half.shape, dtype=np.float32)
        self._met = np.zeros(len(self._half), dtype=np.bool_)

    def forget(self) -> None:
        self._pieces.clear()

    def of_text(self, text: str) -> Vector:
        """The sum over a text."""
        total = np.zeros(_DIMENSIONS, dtype=np.float32)
        if not text or text.isspace():
            return total
        pieces = self._pieces.of(text)
        while True:
            part = np.fromiter(islice(pieces, _SLICE), dtype=np.intp)
            total += self._rows(part).sum(axis=0)
            if len(part) < _SLICE:
                return total

    def of_words(self, words: Sequence[tuple[str, float]]) -> Vector:
        """The sum over words, each times its weight."""
        pieces: list[int] = []
        weights: list[float] = []
        for word, weight in words:
            if weight and not word.isspace():
                of_word = self._pieces.of_word(word)
                pieces += of_word
                weights += [weight] * len(of_word)
        total = np.zeros(_DIMENSIONS, dtype=np.float32)
        for start in range(0, len(pieces), _SLICE):
            rows = self._rows(np.array(pieces[start : start + _SLICE], dtype=np.intp))
            total += np.array(weights[start : start + _SLICE], dtype=np.float32) @ rows
        return total

    def _rows(self, numbers: NDArray[np.intp]) -> Vectors:
        met = self._met[numbers]
        if not met.all():
            # Two threads may do this at once: both write the same, and the mark comes last.
            new = numbers[~met]
            self._wide[new] = self._half[new]
            self._met[new] = True
        return self._wide.take(numbers, axis=0)


def installed() -> Path:
    """The folder of the package that carries the vectors; ``MissingExtra`` without it."""
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra(
            "The vectors of the local embedder are not installed",
            remedy='pip install "mnemic[local]", or set embedding.provider',
        )
    return Path(spec.submodule_search_locations[0])


def read_weights(path: Path) -> NDArray[np.float16]:
    """The one matrix of a safetensors file, mapped: a length, a JSON header, then the numbers."""
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(min(size, 1 << 20)))
        tensor = header["embedding.weight"]
        rows, columns = tensor["shape"]
        if tensor["dtype"] != "F16" or columns != _DIMENSIONS:
            raise ValueError(tensor)
        mapped = np.memmap(path, dtype="<f2", mode="r", offset=8 + size, shape=(rows, columns))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelRefused(
            f"{path.name} does not hold the vectors of the local embedder",
            remedy='pip install --force-reinstall "mnemic[local]"',
        ) from error
    return np.asarray(mapped)
