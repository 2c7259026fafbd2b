"""Sentence encoders from a folder, on onnxruntime: one, or a Chinese and an English one.

docs/embeddings.md says how the folder is laid out and which public models fit.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recollect.errors import ConfigError, ModelRefused
from recollect.locks import ForkSafeLock
from recollect.providers import extras
from recollect.providers.embedding.base import Embedder, Vectors, checked
from recollect.providers.embedding.pair import PairEmbedder, read_bridge

EXTRA = "local-models"
OPTIONS = "embedding.toml"
BRIDGE = "bridge.npy"
_MODELS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
_BATCH = 32
_CHARS_A_TOKEN = 16  # more than any tokenizer needs: the rest of a long text is not even cut up


@dataclass(frozen=True)
class Options:
    """What ``embedding.toml`` beside a model can say."""

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
        extras.require(EXTRA, "onnxruntime", "tokenizers")
        self._folder = folder
        self._model = _file(folder, *_MODELS)
        self._tokenizer = _file(folder, "tokenizer.json")
        self._options = read_options(folder / OPTIONS)
        self._session: _Session | None = None
        self._loading = ForkSafeLock()
        self._name = ""

    @property
    def name(self) -> str:
        """The folder's name and a hash of what decides the vectors."""
        if not self._name:
            digest = sha256(repr(replace(self._options, threads=0)).encode())
            for path in (self._model, self._tokenizer):
                with path.open("rb") as file:
                    while block := file.read(1 << 20):
                        digest.update(block)
            self._name = f"{self._folder.resolve().name}-{digest.hexdigest()[:8]}"
        return self._name

    @property
    def dimensions(self) -> int:
        return self._loaded().dimensions

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        session, options = self._loaded(), self._options
        prefix = options.query_prefix if query else options.text_prefix
        longest = options.max_tokens * _CHARS_A_TOKEN
        rows = np.zeros((len(texts), session.dimensions), dtype=np.float32)
        # Texts of one length together: a batch is as wide as its longest text.
        order = sorted(
            (at for at, text in enumerate(texts) if text.strip()), key=lambda at: len(texts[at])
        )
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            given = [prefix + texts[at][:longest] for at in part]
            if options.lowercase:
                given = [text.lower() for text in given]
            rows[part] = session.run(given, self._folder.name)
        return rows

    def _loaded(self) -> _Session:
        if self._session is None:
            with self._loading:
                if self._session is None:
                    self._session = _Session(self._model, self._tokenizer, self._options)
        return self._session


class _Session:
    """A loaded model and its tokenizer."""

    def __init__(self, model: Path, tokenizer: Path, options: Options) -> None:
        onnxruntime = extras.load(EXTRA, "onnxruntime")
        tokenizers = extras.load(EXTRA, "tokenizers")
        given = onnxruntime.SessionOptions()
        given.intra_op_num_threads = options.threads
        given.log_severity_level = 3
        try:
            self._onnx = onnxruntime.InferenceSession(
                str(model), given, providers=["CPUExecutionProvider"]
            )
            self._cut = tokenizers.Tokenizer.from_file(str(tokenizer))
        except Exception as error:  # Both libraries raise types of their own, and bare Exception.
            raise ModelRefused(
                f"{model.name} or {tokenizer.name} in {model.parent.name} cannot be loaded: "
                f"{type(error).__name__}",
                remedy="Fetch the files again",
            ) from error
        self._cut.enable_truncation(options.max_tokens)
        self._cut.enable_padding()
        self._inputs = [put.name for put in self._onnx.get_inputs()]
        self._pooling = options.pooling
        self.dimensions = 0
        self.dimensions = self.run(["a"], model.parent.name).shape[1]

    def run(self, texts: list[str], model: str) -> Vectors:
        cut = self._cut.encode_batch(texts)
        ids = np.array([text.ids for text in cut], dtype=np.int64)
        mask = np.array([text.attention_mask for text in cut], dtype=np.int64)
        known = {"input_ids": ids, "attention_mask": mask}
        feed = {name: known.get(name, np.zeros_like(ids)) for name in self._inputs}
        found: NDArray[Any] = self._onnx.run(None, feed)[0]
        if found.ndim == 3:
            found = self._pooled(found, mask)
        return checked(found, texts=len(texts), dimensions=self.dimensions, model=model)

    def _pooled(self, found: NDArray[Any], mask: NDArray[np.int64]) -> NDArray[Any]:
        if self._pooling == "cls":
            first: NDArray[Any] = found[:, 0]
            return first
        weights = mask[:, :, None].astype(found.dtype)
        mean: NDArray[Any] = (found * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
        return mean


def read_options(path: Path) -> Options:
    """``embedding.toml`` of a folder; without one, the usual values."""
    if not path.is_file():
        return Options()
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigError(f"{path} is not TOML: {error}", remedy="Correct it") from error
    wrong = sorted(name for name, value in said.items() if not _fits(name, value))
    if wrong:
        raise ConfigError(
            f"{path} has a wrong {', '.join(wrong)}",
            remedy='It can set pooling ("mean" or "cls"), lowercase, max_tokens, query_prefix, '
            "text_prefix and threads",
        )
    return Options(**said)


def _fits(name: str, value: object) -> bool:
    match name:
        case "pooling":
            return value in ("mean", "cls")
        case "lowercase":
            return isinstance(value, bool)
        case "max_tokens" | "threads":
            least = 1 if name == "max_tokens" else 0
            return isinstance(value, int) and not isinstance(value, bool) and value >= least
        case _:
            return name in ("query_prefix", "text_prefix") and isinstance(value, str)


def _file(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise ConfigError(
        f"{folder} has no {names[0]}",
        remedy="Set embedding.folder to a folder laid out as docs/embeddings.md says",
    )
