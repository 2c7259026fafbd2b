"""Reranking: a cross-encoder that reads the query and a passage together.

Slower and better than vectors, which are made without knowing the query; so it judges only a few.
The folder is laid out like that of a sentence encoder, with ``rerank.toml`` for what differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.errors import BadVector
from recollect.providers.onnx import CHARS_A_TOKEN, OnnxFolder, is_reading_option, read_options

OPTIONS = "rerank.toml"
_BATCH = 16
_STEEPEST = 60.0  # beyond this a share is 0 or 1 to the last digit
Shares = NDArray[np.float64]


class Reranker(Protocol):
    """Judges passages."""

    def judge(self, query: str, passages: Sequence[str]) -> Shares:
        """For each passage how well it answers the query, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class RerankOptions:
    """The options in ``rerank.toml`` beside a model."""

    max_tokens: int = 256
    lowercase: bool = False
    threads: int = 1  # 0: as many as there are cores


class OnnxReranker:
    """A cross-encoder from a folder. Loads at first use; safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._files = OnnxFolder(
            folder, remedy="Set recall.rerank_folder to a folder with model.onnx and tokenizer.json"
        )
        self._options = RerankOptions(
            **read_options(
                folder / OPTIONS,
                is_reading_option,
                remedy="It can set max_tokens, lowercase and threads",
            )
        )

    def judge(self, query: str, passages: Sequence[str]) -> Shares:
        options = self._options
        longest = options.max_tokens * CHARS_A_TOKEN
        pairs = [(query[:longest], passage[:longest]) for passage in passages]
        if options.lowercase:
            pairs = [(text.lower(), passage.lower()) for text, passage in pairs]
        shares = np.zeros(len(pairs))
        # Passages of one length together: a batch is as wide as its longest.
        order = sorted(range(len(pairs)), key=lambda at: len(pairs[at][1]))
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            shares[part] = self._run([pairs[at] for at in part])
        return shares

    def _run(self, pairs: list[tuple[str, str]]) -> Shares:
        options = self._options
        session = self._files.loaded(max_tokens=options.max_tokens, threads=options.threads)
        cut = session.cut(pairs)
        inputs = {
            "input_ids": [pair.ids for pair in cut],
            "attention_mask": [pair.attention_mask for pair in cut],
            "token_type_ids": [pair.type_ids for pair in cut],
        }
        output = session.run(
            {name: np.array(inputs[name], np.int64) for name in session.inputs if name in inputs}
        )
        return _shares(np.asarray(output, np.float64).reshape(len(pairs), -1), session.name)


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
