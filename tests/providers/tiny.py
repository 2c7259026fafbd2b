"""Models of a few hundred bytes, in the formats of real ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

FLOAT, INT64 = 1, 7  # numbers of types in ONNX
INT, INTS = 2, 7  # and of attributes


def write_folder(folder: Path, words: dict[str, list[float]], options: str = "") -> Path:
    """A folder with a model whose hidden state at a token is that word's row."""
    folder.mkdir(parents=True)
    table = np.array([[0.0] * len(next(iter(words.values()))), *words.values()], dtype=np.float32)
    (folder / "model.onnx").write_bytes(lookup_model(table))
    tokenizer(words).save(str(folder / "tokenizer.json"))
    if options:
        (folder / "embedding.toml").write_text(options, encoding="utf-8")
    return folder


def write_judge(folder: Path, words: dict[str, list[float]], options: str = "") -> Path:
    """A folder with a cross-encoder: the mean of what its words count, query and passage alike."""
    write_folder(folder, words)
    table = np.array([[0.0] * len(next(iter(words.values()))), *words.values()], dtype=np.float32)
    (folder / "model.onnx").write_bytes(lookup_model(table, mean=True))
    if options:
        (folder / "rerank.toml").write_text(options, encoding="utf-8")
    return folder


def tokenizer(words: dict[str, Any]) -> Tokenizer:
    numbers = {"[UNK]": 0, **{word: at + 1 for at, word in enumerate(words)}}
    made = Tokenizer(WordLevel(numbers, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    return made


def lookup_model(table: NDArray[np.float32], *, mean: bool = False) -> bytes:
    """An ONNX model with one node: the rows of a table at ``input_ids``; or with a second one, for
    their mean. Written by hand: the library that writes ONNX weighs more than all of this
    project's tests."""
    node = _text(1, "table") + _text(1, "input_ids") + _text(2, "hidden") + _text(4, "Gather")
    weights = (
        b"".join(_number(1, size) for size in table.shape)
        + _number(2, FLOAT)
        + _text(8, "table")
        + _bytes(9, table.astype("<f4").tobytes())
    )
    axis = _text(1, "axes") + _number(20, INTS) + _number(8, 1)
    flat = _text(1, "keepdims") + _number(20, INT) + _number(3, 0)
    reduce = _text(1, "hidden") + _text(2, "mean") + _text(4, "ReduceMean")
    reduce += _bytes(5, axis) + _bytes(5, flat)
    hidden = _value("hidden", FLOAT, ["batch", "length", table.shape[1]])
    graph = (
        _bytes(1, node)
        + (_bytes(1, reduce) if mean else b"")
        + _text(2, "lookup")
        + _bytes(5, weights)
        + _bytes(11, _value("input_ids", INT64, ["batch", "length"]))
        + _bytes(11, _value("attention_mask", INT64, ["batch", "length"]))
        + _bytes(12, _value("mean", FLOAT, ["batch", table.shape[1]]) if mean else hidden)
    )
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _number(2, 13))


def _value(name: str, kind: int, shape: list[str | int]) -> bytes:
    sizes = b"".join(
        _bytes(1, _text(2, size) if isinstance(size, str) else _number(1, size)) for size in shape
    )
    return _text(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, sizes)))


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())
