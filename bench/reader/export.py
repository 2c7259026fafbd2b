"""Trained arrays as ONNX files with 8-bit weights: `python -m bench.reader.export TRAINED OUT`.

The graph is written by hand: a matrix is unsigned 8-bit numbers with a scale for each column (with
signed ones older x86 processors overflow), and words are rows with a scale each. Of the heads for
learning it has the notes of each piece, from what `heads.py` wrote into the same folder; the rest
of those is small and stays apart.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from bench.reader.bases import Arrays, unpacked

_MIDDLE = 128  # what stands for zero in an unsigned byte
_ONNX, _RUNTIME = 17, "com.microsoft"


class Graph:
    """Nodes and constants, each result under a new name."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: NDArray[Any]) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, order="C"), name))
        return name

    def add(self, op: str, *inputs: str, out: str = "", domain: str = "", **attributes: Any) -> str:
        name = out or f"n{len(self.nodes)}"
        node = helper.make_node(op, list(inputs), [name], domain=domain, **attributes)
        self.nodes.append(node)
        return name

    def multiply(self, x: str, weight: NDArray[Any], bias: NDArray[Any]) -> str:
        """``x @ weight.T + bias`` with 8-bit weights and the input quantized as it comes."""
        scale = np.maximum(np.abs(weight).max(axis=1), 1e-9) / 127
        rows = np.round(weight / scale[:, None]) + _MIDDLE
        return self.add(
            "DynamicQuantizeMatMul",
            x,
            self.constant(rows.astype(np.uint8).T),
            self.constant(scale.astype(np.float32)),
            self.constant(np.full(len(scale), _MIDDLE, np.uint8)),
            self.constant(bias.astype(np.float32)),
            domain=_RUNTIME,
        )

    def linear(self, x: str, weight: NDArray[Any], bias: NDArray[Any] | None, out: str = "") -> str:
        """The same in floats, for what is small."""
        product = self.add(
            "MatMul", x, self.constant(weight.T), out="" if bias is not None else out
        )
        return product if bias is None else self.add("Add", product, self.constant(bias), out=out)

    def normalize(self, x: str, arrays: Arrays, name: str) -> str:
        return self.add(
            "LayerNormalization",
            x,
            self.constant(arrays[f"{name}.weight"]),
            self.constant(arrays[f"{name}.bias"]),
            axis=-1,
            epsilon=1e-12,
        )


def graph_of(arrays: Arrays, heads: int) -> onnx.ModelProto:
    """The encoder with its outputs: token vectors and weights, the whole vector, notes."""
    g = Graph()
    _add_outputs(g, arrays, encode(g, arrays, heads))
    return _model(g, arrays)


def encode(g: Graph, arrays: Arrays, heads: int) -> str:
    """Every layer over the inputs `ids`, `mask` and `kind`; names the vectors of the pieces."""
    words = arrays["word.weight"]
    width = words.shape[1]
    scale = np.maximum(np.abs(words).max(axis=1, keepdims=True), 1e-9) / 127
    table = g.constant(np.round(words / scale).astype(np.int8))
    x = g.add("Cast", g.add("Gather", table, "ids"), to=TensorProto.FLOAT)
    x = g.add("Mul", x, g.add("Gather", g.constant(scale.astype(np.float32)), "ids"))
    length = g.add("Gather", g.add("Shape", "ids"), g.constant(np.array([1])))
    places = g.add("Slice", g.constant(arrays["place.weight"]), g.constant(np.array([0])), length)
    x = g.add("Add", x, places)
    x = g.add("Add", x, g.add("Gather", g.constant(arrays["kind.weight"]), "kind"))
    x = g.normalize(x, arrays, "norm")
    one = g.constant(np.array(1.0, np.float32))
    far = g.add("Mul", g.add("Sub", "mask", one), g.constant(np.array(1e4, np.float32)))
    far = g.add("Unsqueeze", far, g.constant(np.array([1, 2])))
    split = g.constant(np.array([0, 0, heads, width // heads]))
    whole = g.constant(np.array([0, 0, width]))
    root = g.constant(np.array((width // heads) ** -0.5, np.float32))
    layer = 0
    while f"layers.{layer}.q.weight" in arrays:
        x = _add_layer(g, arrays, f"layers.{layer}.", x, (far, split, whole, root))
        layer += 1
    return x


def _add_layer(g: Graph, arrays: Arrays, at: str, x: str, shared: tuple[str, str, str, str]) -> str:
    far, split, whole, root = shared

    def project(name: str, order: list[int]) -> str:
        product = g.multiply(x, arrays[f"{at}{name}.weight"], arrays[f"{at}{name}.bias"])
        return g.add("Transpose", g.add("Reshape", product, split), perm=order)

    q, k = project("q", [0, 2, 1, 3]), project("k", [0, 2, 3, 1])
    v = project("v", [0, 2, 1, 3])
    likeness = g.add("Add", g.add("Mul", g.add("MatMul", q, k), root), far)
    seen = g.add("MatMul", g.add("Softmax", likeness, axis=-1), v)
    seen = g.add("Reshape", g.add("Transpose", seen, perm=[0, 2, 1, 3]), whole)
    seen = g.multiply(seen, arrays[f"{at}o.weight"], arrays[f"{at}o.bias"])
    x = g.normalize(g.add("Add", x, seen), arrays, f"{at}n1")
    inner = g.multiply(x, arrays[f"{at}up.weight"], arrays[f"{at}up.bias"])
    inner = g.add("Gelu", inner, domain=_RUNTIME)
    inner = g.multiply(inner, arrays[f"{at}down.weight"], arrays[f"{at}down.bias"])
    return g.normalize(g.add("Add", x, inner), arrays, f"{at}n2")


def _add_outputs(g: Graph, arrays: Arrays, x: str) -> None:
    token = g.linear(x, arrays["token.weight"], None)
    g.add("LpNormalization", token, out="tokens", axis=-1, p=2)
    weigh = g.linear(x, arrays["weigh.weight"], arrays["weigh.bias"] + 0.5)
    weight = g.add(
        "Mul", g.add("Softplus", g.add("Squeeze", weigh, g.constant(np.array([2])))), "own"
    )
    g.add("Identity", weight, out="weights")
    pool = g.linear(x, arrays["pool.weight"], None)
    weighed = g.add("Mul", pool, g.add("Unsqueeze", weight, g.constant(np.array([2]))))
    total = g.add("ReduceSum", weighed, g.constant(np.array([1])), keepdims=0)
    g.add("LpNormalization", total, out="whole", axis=-1, p=2)
    notes = g.linear(x, arrays["notes.weight"], arrays["notes.bias"])
    g.add("Relu", notes, out="notes")


def _model(g: Graph, arrays: Arrays) -> onnx.ModelProto:
    floats, integers = TensorProto.FLOAT, TensorProto.INT64
    rows: list[Any] = ["rows", "length"]
    given = [
        helper.make_tensor_value_info("ids", integers, rows),
        helper.make_tensor_value_info("mask", floats, rows),
        helper.make_tensor_value_info("own", floats, rows),
        helper.make_tensor_value_info("kind", integers, []),
    ]
    made = [
        helper.make_tensor_value_info("tokens", floats, [*rows, arrays["token.weight"].shape[0]]),
        helper.make_tensor_value_info("weights", floats, rows),
        helper.make_tensor_value_info("whole", floats, ["rows", arrays["pool.weight"].shape[0]]),
        helper.make_tensor_value_info("notes", floats, [*rows, arrays["notes.weight"].shape[0]]),
    ]
    return make_model(g, given, made)


def make_model(g: Graph, given: list[Any], made: list[Any]) -> onnx.ModelProto:
    """A checked model of the nodes, with its inputs and outputs."""
    graph = helper.make_graph(g.nodes, "reader", given, made, g.constants)
    opsets = [helper.make_opsetid("", _ONNX), helper.make_opsetid(_RUNTIME, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    onnx.checker.check_model(model)
    return model


def trained_arrays(folder: Path, script: str) -> Arrays:
    """The arrays that `train.py` wrote, in one or several pieces."""
    pieces = sorted(folder.glob(f"{script}.npz.xz*"))
    return unpacked(b"".join(piece.read_bytes() for piece in pieces))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trained", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for script, heads in (("latin", 12), ("han", 8)):
        path = given.out / f"{script}.onnx"
        with np.load(given.out / f"{script}.npz") as head:
            notes = {n: head[n].astype(np.float32) for n in ("notes.weight", "notes.bias")}
        arrays = {**trained_arrays(given.trained, script), **notes}
        onnx.save(graph_of(arrays, heads), str(path))
        print(script, path.stat().st_size)


if __name__ == "__main__":
    main()
