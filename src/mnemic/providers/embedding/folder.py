"""A sentence encoder from a folder, on onnxruntime.

docs/embeddings.md says how the folder is laid out and which public models fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from mnemic.late import NDArray, np
from mnemic.providers.embedding.base import Vectors, check_vectors
from mnemic.providers.onnx import CHARS_A_TOKEN, OnnxFolder, is_reading_option, read_options

OPTIONS = "embedding.toml"
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
            places = order[start : start + _BATCH]
            batch = [prefix + texts[at][:longest] for at in places]
            if options.lowercase:
                batch = [text.lower() for text in batch]
            rows[places] = self._run(batch)
        return rows

    def _run(self, texts: list[str]) -> Vectors:
        options = self._options
        session = self._files.load(max_tokens=options.max_tokens, threads=options.threads)
        encodings = session.tokenizer.encode_batch(texts)
        ids = np.array([encoding.ids for encoding in encodings], dtype=np.int64)
        mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask}
        output, *_ = session.run(
            {name: inputs.get(name, np.zeros_like(ids)) for name in session.inputs}
        )
        if output.ndim == 3:
            output = self._pool(output, mask)
        name = self._folder.name
        return check_vectors(output, texts=len(texts), dimensions=self._dimensions, model=name)

    def _pool(self, output: NDArray[Any], mask: NDArray[np.int64]) -> NDArray[Any]:
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
