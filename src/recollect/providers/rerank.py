"""A second opinion on the first results: a model that reads the query and a passage together.

Slower and better than vectors, which are made without knowing the query; so it is asked about a
few. The folder is laid out as one of a sentence encoder is, with ``rerank.toml`` for what differs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.errors import BadVector, ConfigError, ModelRefused
from recollect.locks import ForkSafeLock
from recollect.providers import extras

EXTRA = "local-models"
OPTIONS = "rerank.toml"
_MODELS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
_BATCH = 16
_CHARS_A_TOKEN = 16  # more than any tokenizer needs: the rest of a long text is not even cut up
_STEEPEST = 60.0  # beyond this a share is 0 or 1 to the last digit
Shares = NDArray[np.float64]


class Reranker(Protocol):
    """Judges passages."""

    def judge(self, query: str, passages: Sequence[str]) -> Shares:
        """For each passage how well it answers the query, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Options:
    """What ``rerank.toml`` beside a model can say."""

    max_tokens: int = 256
    lowercase: bool = False
    threads: int = 1  # 0: as many as there are cores


class OnnxReranker:
    """A cross-encoder from a folder. Loads at first use; safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        extras.require(EXTRA, "onnxruntime", "tokenizers")
        self._folder = folder
        self._model = _file(folder, *_MODELS)
        self._tokenizer = _file(folder, "tokenizer.json")
        self._options = read_options(folder / OPTIONS)
        self._session: _Session | None = None
        self._loading = ForkSafeLock()

    def judge(self, query: str, passages: Sequence[str]) -> Shares:
        options = self._options
        longest = options.max_tokens * _CHARS_A_TOKEN
        pairs = [(query[:longest], passage[:longest]) for passage in passages]
        if options.lowercase:
            pairs = [(asked.lower(), passage.lower()) for asked, passage in pairs]
        found = np.zeros(len(pairs))
        # Passages of one length together: a batch is as wide as its longest.
        order = sorted(range(len(pairs)), key=lambda at: len(pairs[at][1]))
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            found[part] = self._loaded().run([pairs[at] for at in part])
        return found

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
        self._name = model.parent.name

    def run(self, pairs: list[tuple[str, str]]) -> Shares:
        cut = self._cut.encode_batch(pairs)
        known = {
            "input_ids": [pair.ids for pair in cut],
            "attention_mask": [pair.attention_mask for pair in cut],
            "token_type_ids": [pair.type_ids for pair in cut],
        }
        feed = {name: np.array(known[name], np.int64) for name in self._inputs if name in known}
        found: NDArray[Any] = np.asarray(self._onnx.run(None, feed)[0], np.float64)
        return _shares(found.reshape(len(pairs), -1), self._name)


def _shares(logits: NDArray[np.float64], model: str) -> Shares:
    """One number a pair, or the two of "no" and "yes"."""
    if logits.shape[1] not in (1, 2) or not np.isfinite(logits).all():
        raise BadVector(
            f"{model} answered {logits.shape[1]} numbers for a pair, or some that are not finite",
            remedy="Check that the model is a cross-encoder with one output",
        )
    raw = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
    shares: Shares = 1 / (1 + np.exp(-np.clip(raw, -_STEEPEST, _STEEPEST)))
    return shares


def read_options(path: Path) -> Options:
    """``rerank.toml`` of a folder; without one, the usual values."""
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
            remedy="It can set max_tokens, lowercase and threads",
        )
    return Options(**said)


def _fits(name: str, value: object) -> bool:
    if name == "lowercase":
        return isinstance(value, bool)
    least = {"max_tokens": 1, "threads": 0}.get(name)
    return least is not None and type(value) is int and value >= least


def _file(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise ConfigError(
        f"{folder} has no {names[0]}",
        remedy="Set recall.rerank_folder to a folder with model.onnx and tokenizer.json",
    )
