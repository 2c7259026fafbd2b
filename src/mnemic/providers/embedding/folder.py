"""Sentence encoders from a folder, on onnxruntime: one, or a Chinese and an English one.

docs/embeddings.md says how the folder is laid out and which public models fit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from mnemic.errors import ConfigError
from mnemic.late import NDArray, np
from mnemic.providers.embedding.base import Embedder, Vectors, checked, unit
from mnemic.providers.onnx import CHARS_A_TOKEN, OnnxFolder, is_reading_option, read_options

OPTIONS = "embedding.toml"
BRIDGE = "bridge.npy"
_BATCH = 32


@dataclass(frozen=True)
class FolderOptions:
    """The options in ``embedding.toml`` beside a model."""

    pooling: Literal["mean", "cls"] = "mean"
    lowercase: bool = False
    max_tokens: int = 256
    query_prefix: str = ""
    text_prefix: str = ""
    threads: int = 1  # 0: as many as there are cores


def folder_embedder(folder: Path) -> Embedder:
    """The model of a folder, or the pair of models in its ``zh`` and ``en``."""
    if (folder / "zh").is_dir() and (folder / "en").is_dir():
        zh, en = OnnxEmbedder(folder / "zh"), OnnxEmbedder(folder / "en")
        bridge = folder / BRIDGE
        return PairEmbedder(zh, en, read_bridge(bridge) if bridge.is_file() else None)
    return OnnxEmbedder(folder)


class OnnxEmbedder:
    """One model. Loads at first use; safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = OnnxFolder(
            folder, remedy="Set embedding.folder to a folder laid out as docs/embeddings.md says"
        )
        self._options = FolderOptions(
            **read_options(
                folder / OPTIONS,
                _fits,
                remedy='It can set pooling ("mean" or "cls"), lowercase, max_tokens, query_prefix, '
                "text_prefix and threads",
            )
        )
        self._name = ""
        self._dimensions = 0

    @property
    def name(self) -> str:
        """The folder's name and a hash of what decides the vectors."""
        if not self._name:
            digest = sha256(repr(replace(self._options, threads=0)).encode())
            for path in (self._files.model, self._files.tokenizer):
                with path.open("rb") as file:
                    while block := file.read(1 << 20):
                        digest.update(block)
            self._name = f"{self._folder.resolve().name}-{digest.hexdigest()[:8]}"
        return self._name

    @property
    def dimensions(self) -> int:
        if not self._dimensions:
            self._dimensions = self._run(["a"]).shape[1]
        return self._dimensions

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        options = self._options
        prefix = options.query_prefix if query else options.text_prefix
        longest = options.max_tokens * CHARS_A_TOKEN
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        # Texts of one length together: a batch is as wide as its longest text.
        order = sorted(
            (at for at, text in enumerate(texts) if text.strip()), key=lambda at: len(texts[at])
        )
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            batch = [prefix + texts[at][:longest] for at in part]
            if options.lowercase:
                batch = [text.lower() for text in batch]
            rows[part] = self._run(batch)
        return rows

    def _run(self, texts: list[str]) -> Vectors:
        options = self._options
        session = self._files.loaded(max_tokens=options.max_tokens, threads=options.threads)
        cut = session.cut(texts)
        ids = np.array([text.ids for text in cut], dtype=np.int64)
        mask = np.array([text.attention_mask for text in cut], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask}
        output = session.run(
            {name: inputs.get(name, np.zeros_like(ids)) for name in session.inputs}
        )
        if output.ndim == 3:
            output = self._pooled(output, mask)
        return checked(
            output, texts=len(texts), dimensions=self._dimensions, model=self._folder.name
        )

    def _pooled(self, output: NDArray[Any], mask: NDArray[np.int64]) -> NDArray[Any]:
        if self._options.pooling == "cls":
            first: NDArray[Any] = output[:, 0]
            return first
        weights = mask[:, :, None].astype(output.dtype)
        mean: NDArray[Any] = (output * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
        return mean


def _fits(name: str, value: object) -> bool:
    if name == "pooling":
        return value in ("mean", "cls")
    if name in ("query_prefix", "text_prefix"):
        return isinstance(value, str)
    return is_reading_option(name, value)


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
            english = self._en.embed([texts[at] for at in other], query=query)
            if self._bridge is None:
                rows[other, width:] = english
            else:
                rows[other] = self._across(english, self._bridge)
        return rows

    def _across(self, english: Vectors, bridge: NDArray[np.float32]) -> Vectors:
        rows, columns = self._en.dimensions, self._zh.dimensions
        if bridge.shape not in ((rows, columns), (rows + 1, columns)):
            raise ConfigError(
                f"The bridge has shape {bridge.shape}, the models {rows} and {columns} dimensions",
                remedy=f"It must have {rows} rows, or {rows + 1}, and {columns} columns",
            )
        carried = english @ bridge[:rows]
        if len(bridge) > rows:
            carried = carried + bridge[rows]
        # A blank text stays blank, whatever the bridge adds.
        return unit(carried * english.any(axis=1, keepdims=True))


def is_chinese(text: str) -> bool:
    """Whether enough of the letters are Han."""
    han = len(_HAN.findall(text))
    return han > 0 and han >= _ENOUGH * len(_LETTER.findall(text))


def read_bridge(path: Path) -> NDArray[np.float32]:
    """The matrix in a .npy file."""
    try:
        matrix = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise ConfigError(f"{path} is not a matrix in a .npy file", remedy="Replace it") from error
    if matrix.ndim != 2 or matrix.dtype.kind != "f" or not np.isfinite(matrix).all():
        raise ConfigError(f"{path} is not a matrix of finite numbers", remedy="Replace it")
    return np.asarray(matrix, dtype=np.float32)
