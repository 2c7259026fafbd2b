"""Trained arrays as ONNX files with 8-bit weights: `... export TRAINED JUDGES OUT`.

The graph is written by hand: a matrix is unsigned 8-bit numbers with a scale for each column (with
signed ones older x86 processors overflow), and words are rows with a scale each. The branch of
`judges.py` runs only where `judge` is true; the networks that read its notes are small and go into
files of their own.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from bench.reader.bases import Arrays, trained_arrays
from bench.reader.data import RELATIONS
from bench.reader.judges import BRANCH, SCALE

ZERO = 128  # what stands for it in an unsigned byte
_OF_SENTENCES = ("middle.", "keep.", "relation.", "changed.", "ends.")
_ONNX, _RUNTIME = 17, "com.microsoft"


class Graph:
    """Nodes and constants, each result under a new name."""

    def __init__(self, outer: Graph | None = None) -> None:
        """A graph inside of another has the constants of that one."""
        self.nodes: list[Any] = []
        self.constants: list[Any] = outer.constants if outer else []
        self._matrices: dict[int, list[str]] = outer._matrices if outer else {}
        self._prefix = "b" if outer else "n"

    def constant(self, values: NDArray[Any]) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, order="C"), name))
        return name

    def add(self, op: str, *inputs: str, out: str = "", domain: str = "", **attributes: Any) -> str:
        name = out or f"{self._prefix}{len(self.nodes)}"
        node = helper.make_node(op, list(inputs), [name], domain=domain, **attributes)
        self.nodes.append(node)
        return name

    def multiply(self, x: str, weight: NDArray[Any], bias: NDArray[Any] | None = None) -> str:
        """``x @ weight.T + bias`` with 8-bit weights and the input quantized as it comes."""
        if id(weight) not in self._matrices:
            scale = np.maximum(np.abs(weight).max(axis=1), 1e-9) / 127
            rows = np.round(weight / scale[:, None]) + ZERO
            self._matrices[id(weight)] = [
                self.constant(rows.astype(np.uint8).T),
                self.constant(scale.astype(np.float32)),
                self.constant(np.full(len(scale), ZERO, np.uint8)),
                *([] if bias is None else [self.constant(bias.astype(np.float32))]),
            ]
        matrix = self._matrices[id(weight)]
        return self.add("DynamicQuantizeMatMul", x, *matrix, domain=_RUNTIME)

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


class _Shared(NamedTuple):
    """What every layer of an encoder is given."""

    far: str
    split: str
    whole: str
    root: str


def graph_of(arrays: Arrays, judges: Arrays, heads: int) -> onnx.ModelProto:
    """The encoder with its outputs: token vectors and weights, the whole vector, notes."""
    g = Graph()
    shared, states = encode(g, arrays, heads)
    _add_outputs(g, arrays, states[-1])
    _add_branch(g, {**arrays, **judges}, states, shared)
    return _model(g, arrays)


def encode(g: Graph, arrays: Arrays, heads: int) -> tuple[_Shared, list[str]]:
    """What every layer is given, and the states of the pieces below and after each."""
    shared, x = _embed(g, arrays, heads)
    states = [x]
    while f"layers.{len(states) - 1}.q.weight" in arrays:
        at = f"layers.{len(states) - 1}."
        states.append(_add_layer(g, arrays, at, states[-1], shared))
    return shared, states


def _embed(g: Graph, arrays: Arrays, heads: int) -> tuple[_Shared, str]:
    """The inputs `ids`, `mask` and `kind` as the first layer gets them."""
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
    return _Shared(far, split, whole, root), x


def _add_layer(
    g: Graph, arrays: Arrays, at: str, x: str, shared: _Shared, *, branch: str = ""
) -> str:
    """A layer; that of a ``branch`` has matrices beside its own, and its own norms."""

    def multiply(x: str, name: str) -> str:
        product = g.multiply(x, arrays[f"{at}{name}.weight"], arrays[f"{at}{name}.bias"])
        if not branch:
            return product
        narrow, wide = (arrays[f"{branch}{name}.{part}.weight"] for part in ("narrow", "wide"))
        return g.add("Add", product, g.multiply(g.multiply(x, narrow), wide))

    def project(name: str, order: list[int]) -> str:
        return g.add("Transpose", g.add("Reshape", multiply(x, name), shared.split), perm=order)

    q, k = project("q", [0, 2, 1, 3]), project("k", [0, 2, 3, 1])
    v = project("v", [0, 2, 1, 3])
    likeness = g.add("Add", g.add("Mul", g.add("MatMul", q, k), shared.root), shared.far)
    seen = g.add("MatMul", g.add("Softmax", likeness, axis=-1), v)
    seen = g.add("Reshape", g.add("Transpose", seen, perm=[0, 2, 1, 3]), shared.whole)
    x = g.normalize(g.add("Add", x, multiply(seen, "o")), arrays, f"{branch or at}n1")
    inner = g.add("Gelu", multiply(x, "up"), domain=_RUNTIME)
    return g.normalize(g.add("Add", x, multiply(inner, "down")), arrays, f"{branch or at}n2")


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


def _add_branch(g: Graph, arrays: Arrays, states: Sequence[str], shared: _Shared) -> None:
    """The notes, which are empty where nobody judges."""
    layers, x = len(states) - 1, states[-1 - BRANCH]
    size = arrays["notes.weight"].shape[0]
    judging, idle = Graph(g), Graph(g)
    for n in range(BRANCH):
        at = f"layers.{layers - BRANCH + n}."
        x = _add_layer(judging, arrays, at, x, shared, branch=f"branch.{n}.")
    notes = judging.multiply(x, arrays["notes.weight"], arrays["notes.bias"])
    judging.add("Relu", notes, out="judged")
    idle.add("Identity", g.constant(np.zeros((1, 1, size), np.float32)), out="not_judged")
    branches = {
        name: helper.make_graph(
            graph.nodes,
            name,
            [],
            [helper.make_tensor_value_info(out, TensorProto.FLOAT, [None, None, size])],
        )
        for name, graph, out in (
            ("then_branch", judging, "judged"),
            ("else_branch", idle, "not_judged"),
        )
    }
    g.add("If", "judge", out="notes", **branches)


def _model(g: Graph, arrays: Arrays) -> onnx.ModelProto:
    floats, integers = TensorProto.FLOAT, TensorProto.INT64
    rows: list[Any] = ["rows", "length"]
    given = [
        helper.make_tensor_value_info("ids", integers, rows),
        helper.make_tensor_value_info("mask", floats, rows),
        helper.make_tensor_value_info("own", floats, rows),
        helper.make_tensor_value_info("kind", integers, []),
        helper.make_tensor_value_info("judge", TensorProto.BOOL, []),
    ]
    made = [
        helper.make_tensor_value_info("tokens", floats, [*rows, arrays["token.weight"].shape[0]]),
        helper.make_tensor_value_info("weights", floats, rows),
        helper.make_tensor_value_info("whole", floats, ["rows", arrays["pool.weight"].shape[0]]),
        helper.make_tensor_value_info("notes", floats, [None, None, None]),
    ]
    return make_model(g, given, made)


def make_model(g: Graph, given: list[Any], made: list[Any]) -> onnx.ModelProto:
    """A checked model of the nodes, with its inputs and outputs."""
    graph = helper.make_graph(g.nodes, "reader", given, made, g.constants)
    opsets = [helper.make_opsetid("", _ONNX), helper.make_opsetid(_RUNTIME, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    onnx.checker.check_model(model)
    return model


def judge_arrays(path: Path) -> tuple[Arrays, Arrays, Arrays]:
    """What `judges.py` wrote: the branch, the network of sentences and that of voices."""
    with np.load(path) as stored:
        arrays: Arrays = {name: values.astype(np.float32) for name, values in stored.items()}
    branch = {n: v for n, v in arrays.items() if n.startswith(("branch.", "notes."))}
    for name in [n for n in branch if n.endswith(".wide.weight")]:
        branch[name] = SCALE * branch[name]
    sentences = {n: v for n, v in arrays.items() if n.startswith(_OF_SENTENCES)}
    prefix = "voices."
    voices = {n.removeprefix(prefix): v for n, v in arrays.items() if n.startswith(prefix)}
    return branch, sentences, voices


def save(path: Path, arrays: Arrays, **more: NDArray[Any]) -> None:
    """A network; its matrices in steps of a 255th of their range, which take half the room."""
    kept = {}
    for name, values in arrays.items():
        step = np.abs(values).max() / 127 if values.ndim > 1 else 0.0
        kept[name] = (np.round(values / step) * step if step else values).astype(np.float16)
    np.savez_compressed(path, **more, **kept)  # type: ignore[arg-type]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trained", type=Path)
    parser.add_argument("judges", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for script, heads in (("latin", 12), ("han", 8)):
        branch, sentences, voices = judge_arrays(given.judges / f"{script}.judges.npz")
        save(given.out / f"{script}.npz", sentences, relations=np.array(RELATIONS))
        save(given.out / f"{script}.voice.npz", voices)
        path = given.out / f"{script}.onnx"
        onnx.save(graph_of(trained_arrays(given.trained, script), branch, heads), str(path))
        print(script, path.stat().st_size)


if __name__ == "__main__":
    main()
