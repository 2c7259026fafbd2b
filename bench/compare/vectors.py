"""Sentence vectors of MiniLM, for the runners of peers that are given an embedder."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MODEL = "MNEMIC_COMPARE_MINILM"  # names the folder that bench.compare.minilm wrote
WIDTH = 384
_PIECES = 256  # what the model was trained to read at most
_BATCH = 32


@cache
def _session() -> tuple[Any, Any]:
    import onnxruntime
    from tokenizers import Tokenizer

    folder = Path(os.environ[MODEL])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(_PIECES)
    tokenizer.enable_padding()
    return session, tokenizer


def embed(texts: list[str]) -> NDArray[np.float32]:
    """Unit vectors, texts of like length together."""
    session, tokenizer = _session()
    vectors = np.empty((len(texts), WIDTH), np.float32)
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    for start in range(0, len(order), _BATCH):
        places = order[start : start + _BATCH]
        encoded = tokenizer.encode_batch([texts[place] for place in places])
        given = {
            "ids": np.array([one.ids for one in encoded], np.int64),
            "mask": np.array([one.attention_mask for one in encoded], np.float32),
            "kind": np.array(0, np.int64),
        }
        vectors[places] = session.run(None, given)[0]
    return vectors
