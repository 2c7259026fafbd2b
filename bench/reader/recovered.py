"""The encoders' arrays out of the files that ship: `... bench.reader.recovered SHIPPED TRAINED`.

So the judges can be trained again without training the encoders: the files have all that `train.py`
wrote but its heads, to the last bit of its 8-bit rows.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from bench.reader.bases import Arrays, write_packed
from bench.reader.export import ZERO
from bench.reader.judges import MATRICES, SCRIPTS


def recover(path: Path) -> Arrays:
    """The arrays of an encoder, by the order in which `export.py` writes its nodes."""
    graph = onnx.load(str(path)).graph
    stored = {part.name: numpy_helper.to_array(part) for part in graph.initializer}

    def of(op: str) -> list[list[str]]:
        return [list(node.input) for node in graph.node if node.op_type == op]

    matrices, norms = of("DynamicQuantizeMatMul"), of("LayerNormalization")
    (table, _), (scales, _), (kinds, _) = [x for x in of("Gather") if x[0] in stored]
    arrays: Arrays = {
        "word.weight": stored[table].astype(np.float32) * stored[scales],
        "place.weight": stored[of("Slice")[0][0]],
        "kind.weight": stored[kinds],
    }
    layers = len(matrices) // len(MATRICES)
    names = ["norm", *(f"layers.{n}.{norm}" for n in range(layers) for norm in ("n1", "n2"))]
    for name, (_, weight, bias) in zip(names, norms, strict=True):
        arrays[f"{name}.weight"], arrays[f"{name}.bias"] = stored[weight], stored[bias]
    places = [f"layers.{n}.{matrix}" for n in range(layers) for matrix in MATRICES]
    for name, (_, weight, scale, _, bias) in zip(places, matrices, strict=True):
        rows = stored[weight].T.astype(np.float32) - ZERO
        arrays[f"{name}.weight"] = rows * stored[scale][:, None]
        arrays[f"{name}.bias"] = stored[bias]
    token, weigh, pool = [stored[x[1]].T for x in of("MatMul") if x[1] in stored]
    added = next(x for x in of("Add") if x[1] in stored and stored[x[1]].shape == (1,))
    return {
        **arrays,
        "token.weight": token,
        "weigh.weight": weigh,
        "weigh.bias": stored[added[1]] - np.float32(0.5),
        "pool.weight": pool,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shipped", type=Path)
    parser.add_argument("trained", type=Path)
    given = parser.parse_args()
    given.trained.mkdir(parents=True, exist_ok=True)
    for script in SCRIPTS:
        arrays = recover(given.shipped / f"{script}.onnx")
        write_packed(arrays, given.trained / f"{script}.npz.xz")
        print(script, arrays["word.weight"].shape, len(arrays))


if __name__ == "__main__":
    main()
