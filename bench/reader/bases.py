"""The two base encoders as arrays with a smaller vocabulary: `python -m bench.reader.bases`.

    python -m bench.reader.bases LATIN_FOLDER HAN_ONNX HAN_TOKENIZER OUT

Latin script: all-MiniLM-L6-v2 (Apache-2.0). Han script: bge-small-zh-v1.5 (MIT). The README says
which packages carry them. Pieces that no text of a script is cut into go: those of other scripts,
and Han characters as the continuation of a word, which a tokenizer never makes of them.
"""

from __future__ import annotations

import argparse
import io
import json
import lzma
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

Arrays = dict[str, NDArray[Any]]
_MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_OTHER_SCRIPTS = re.compile(
    "[\u0370-\u1dff\u2c00-\u2dff\u2e80-\ua9ff\uaa00-\ud7ff\uf900-\ufdff\ufe20-\ufe6f]"
)
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_PLACES = 240  # the longest input, with room


def read_safetensors(path: Path) -> Arrays:
    """The arrays of a safetensors file."""
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header, body = json.loads(raw[8 : 8 + size]), raw[8 + size :]
    return {
        name: np.frombuffer(body[slice(*entry["data_offsets"])], np.float32).reshape(entry["shape"])
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }


_OF_MINILM = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "o": "attention.output.dense", "n1": "attention.output.LayerNorm",
    "up": "intermediate.dense", "down": "output.dense", "n2": "output.LayerNorm",
}  # fmt: skip


def latin_arrays(folder: Path) -> Arrays:
    """all-MiniLM-L6-v2 under the names of `model.py`."""
    stored = read_safetensors(folder / "model.safetensors")
    arrays = {
        "word.weight": stored["embeddings.word_embeddings.weight"],
        "place.weight": stored["embeddings.position_embeddings.weight"],
        "kind.weight": stored["embeddings.token_type_embeddings.weight"],
        "norm.weight": stored["embeddings.LayerNorm.weight"],
        "norm.bias": stored["embeddings.LayerNorm.bias"],
    }
    for layer in range(6):
        for mine, theirs in _OF_MINILM.items():
            for part in ("weight", "bias"):
                name = f"encoder.layer.{layer}.{theirs}.{part}"
                arrays[f"layers.{layer}.{mine}.{part}"] = stored[name]
    return arrays


_OF_BGE = {
    "q": "attn.q_proj", "k": "attn.k_proj", "v": "attn.v_proj", "o": "attn.o_proj",
    "up": "mlp.fc1", "down": "mlp.fc2",
}  # fmt: skip


def han_arrays(path: Path) -> Arrays:
    """bge-small-zh-v1.5 from its quantized ONNX file, under the names of `model.py`."""
    import onnx
    from onnx import numpy_helper

    stored = {i.name: numpy_helper.to_array(i) for i in onnx.load(str(path)).graph.initializer}

    def wide(name: str) -> NDArray[np.float32]:
        zero = stored[f"{name}_zero_point"].astype(np.float32)
        rows: NDArray[np.float32] = stored[f"{name}_quantized"].astype(np.float32) - zero
        return rows * stored[f"{name}_scale"]

    start = "model.layers.-1.embeddings_norm_layernorm"
    arrays: Arrays = {
        "norm.weight": stored[f"{start}.weight"],
        "norm.bias": stored[f"{start}.bias"],
    }
    for mine, theirs in (("word", "word"), ("place", "position"), ("kind", "token_type")):
        arrays[f"{mine}.weight"] = wide(f".model.embeddings.{theirs}_embeddings.weight")
    for layer in range(4):
        there, here = f"model.layers.{layer}.", f"layers.{layer}."
        for mine, theirs in _OF_BGE.items():
            arrays[f"{here}{mine}.weight"] = wide(f"{there}{theirs}.MatMul.weight").T
            arrays[f"{here}{mine}.bias"] = stored[f"{there}{theirs}.Add.bias"]
        for mine, theirs in (("n1", "attention_output_norm"), ("n2", "mlp_output_norm")):
            for part in ("weight", "bias"):
                arrays[f"{here}{mine}.{part}"] = stored[f"{there}{theirs}_layernorm.{part}"]
    return arrays


def is_latin_piece(piece: str) -> bool:
    """Whether texts in Latin script may be cut into it."""
    return not _OTHER_SCRIPTS.search(piece)


def is_han_piece(piece: str) -> bool:
    """Whether Chinese texts, with the Latin words in them, may be cut into it."""
    return not (piece.startswith("##") and _HAN.search(piece))


def smaller(
    arrays: Arrays, vocabulary: dict[str, int], useful: Callable[[str], bool]
) -> tuple[Arrays, Tokenizer]:
    """Only the useful pieces, numbered anew, and a tokenizer that knows just these."""
    usual = [
        piece
        for piece in sorted(vocabulary, key=vocabulary.__getitem__)
        if not (piece.startswith("[") and piece.endswith("]") and len(piece) > 2) and useful(piece)
    ]
    kept = [*_MARKS, *usual]
    rows = arrays["word.weight"][[vocabulary[piece] for piece in kept]]
    pieces = {piece: number for number, piece in enumerate(kept)}
    tokenizer = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return {
        **arrays,
        "word.weight": rows,
        "place.weight": arrays["place.weight"][:_PLACES],
    }, tokenizer


def packed(arrays: Arrays) -> Arrays:
    """Matrices as 8-bit rows with a scale each."""
    result: Arrays = {}
    for name, values in arrays.items():
        if values.ndim == 2 and values.size > 10_000:
            scale = np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-9) / 127
            result[f"{name}|q"] = np.round(values / scale).astype(np.int8)
            result[f"{name}|s"] = scale.astype(np.float32)
        else:
            result[name] = values.astype(np.float32)
    return result


def write_packed(arrays: Arrays, path: Path) -> None:
    """Write arrays as `unpacked` reads them."""
    held = io.BytesIO()
    np.savez(held, **packed(arrays))  # type: ignore[arg-type]
    path.write_bytes(lzma.compress(held.getvalue(), preset=1))


def unpacked(raw: bytes) -> Arrays:
    """The arrays of a packed file, as 32-bit floats."""
    stored = np.load(io.BytesIO(lzma.decompress(raw)))
    names = {name.partition("|")[0] for name in stored.files}
    return {
        name: stored[f"{name}|q"].astype(np.float32) * stored[f"{name}|s"]
        if f"{name}|q" in stored
        else stored[name]
        for name in names
    }


def trained_arrays(folder: Path, script: str) -> Arrays:
    """The arrays that `train.py` wrote, in one or several pieces."""
    pieces = sorted(folder.glob(f"{script}.npz.xz*"))
    return unpacked(b"".join(piece.read_bytes() for piece in pieces))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("latin", type=Path, help="a folder with model.safetensors, tokenizer.json")
    parser.add_argument("han", type=Path, help="the ONNX file of bge-small-zh-v1.5")
    parser.add_argument("han_tokenizer", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name, arrays, tokenizer, useful in (
        ("latin", latin_arrays(given.latin), given.latin / "tokenizer.json", is_latin_piece),
        ("han", han_arrays(given.han), given.han_tokenizer, is_han_piece),
    ):
        vocabulary = Tokenizer.from_file(str(tokenizer)).get_vocab()
        kept, made = smaller(arrays, vocabulary, useful)
        made.save(str(given.out / f"{name}.json"), pretty=False)
        write_packed(kept, given.out / f"{name}.npz.xz")
        print(name, kept["word.weight"].shape, (given.out / f"{name}.npz.xz").stat().st_size)


if __name__ == "__main__":
    main()
