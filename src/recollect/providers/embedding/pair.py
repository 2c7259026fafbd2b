"""Two models as one: Chinese text goes to the first, everything else to the second."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.errors import ConfigError
from recollect.providers.embedding.base import Embedder, Vectors, unit

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
_LETTER = re.compile(r"[^\W\d_]")
_ENOUGH = 0.2  # share of Han among the letters: "我用 uv 管理 Python 环境" is Chinese


class PairEmbedder:
    """One space out of two.

    With a bridge the English vectors are carried over into the Chinese space, and each language
    finds the other. Without one the two spaces lie side by side, and each finds its own.
    """

    def __init__(
        self, zh: Embedder, en: Embedder, bridge: NDArray[np.float32] | None = None
    ) -> None:
        """``bridge``: English by Chinese dimensions, with or without a last row to add."""
        self._zh, self._en, self._bridge = zh, en, bridge
        self._name = ""

    @property
    def name(self) -> str:
        if not self._name:
            joined = "" if self._bridge is None else sha256(self._bridge.tobytes()).hexdigest()[:8]
            self._name = "+".join(filter(None, (self._zh.name, self._en.name, joined)))
        return self._name

    @property
    def dimensions(self) -> int:
        own = self._zh.dimensions
        return own if self._bridge is not None else own + self._en.dimensions

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        chinese = [is_chinese(text) for text in texts]
        own = [at for at, yes in enumerate(chinese) if yes]
        other = [at for at, yes in enumerate(chinese) if not yes]
        width = self._zh.dimensions
        if own:
            rows[own, :width] = self._zh.embed([texts[at] for at in own], query=query)
        if other:
            found = self._en.embed([texts[at] for at in other], query=query)
            if self._bridge is None:
                rows[other, width:] = found
            else:
                rows[other] = self._across(found, self._bridge)
        return rows

    def _across(self, found: Vectors, bridge: NDArray[np.float32]) -> Vectors:
        here, there = self._en.dimensions, self._zh.dimensions
        if bridge.shape not in ((here, there), (here + 1, there)):
            raise ConfigError(
                f"The bridge has shape {bridge.shape}, the models {here} and {there} dimensions",
                remedy=f"It must have {here} rows, or {here + 1}, and {there} columns",
            )
        carried = found @ bridge[:here]
        if len(bridge) > here:
            carried = carried + bridge[here]
        # A blank text stays blank, whatever the bridge adds.
        return unit(carried * found.any(axis=1, keepdims=True))


def is_chinese(text: str) -> bool:
    """Whether enough of the letters are Han."""
    han = len(_HAN.findall(text))
    return han > 0 and han >= _ENOUGH * len(_LETTER.findall(text))


def read_bridge(path: Path) -> NDArray[np.float32]:
    """The matrix in a .npy file."""
    try:
        found = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise ConfigError(f"{path} is not a matrix in a .npy file", remedy="Replace it") from error
    if found.ndim != 2 or found.dtype.kind != "f" or not np.isfinite(found).all():
        raise ConfigError(f"{path} is not a matrix of finite numbers", remedy="Replace it")
    return np.asarray(found, dtype=np.float32)
