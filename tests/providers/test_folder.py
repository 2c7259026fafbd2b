"""Models from a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mnemic.errors import BadVector, ConfigError, MissingExtra, ModelRefused
from mnemic.providers import extras
from mnemic.providers.embedding.folder import OnnxEmbedder
from tests.providers.tiny import write_folder

ENGLISH = {"tea": [3.0, 4.0], "cup": [0.0, 1.0], "query": [1.0, 0.0]}


@pytest.mark.feature("X9")
def test_a_model_is_loaded_from_its_folder(tmp_path: Path) -> None:
    made = OnnxEmbedder(write_folder(tmp_path / "tiny", ENGLISH))
    rows = made.embed(["tea", "tea cup", "", "cup " * 5000, "unheard"])
    assert made.dimensions == 2
    assert rows.dtype == np.float32
    mean = np.array([3.0, 5.0]) / np.hypot(3, 5)
    assert np.allclose(rows, [[0.6, 0.8], mean, [0, 0], [0, 1], [0, 0]], atol=1e-6)


def test_a_batch_says_what_each_text_says_alone(tmp_path: Path) -> None:
    made = OnnxEmbedder(write_folder(tmp_path / "tiny", ENGLISH))
    texts = ["tea " * (n % 7) + "cup " * (n % 3) for n in range(100)]
    assert np.allclose(made.embed(texts), [made.embed([text])[0] for text in texts], atol=1e-6)
    assert made.embed([]).shape == (0, 2)


def test_the_options_beside_a_model(tmp_path: Path) -> None:
    options = 'pooling = "cls"\nlowercase = true\nquery_prefix = "query "\nmax_tokens = 2'
    made = OnnxEmbedder(write_folder(tmp_path / "tiny", ENGLISH, options))
    assert np.allclose(made.embed(["TEA cup"]), [[0.6, 0.8]])
    assert np.allclose(made.embed(["TEA cup"], query=True), [[1.0, 0.0]])


def test_only_the_first_tokens_count(tmp_path: Path) -> None:
    made = OnnxEmbedder(write_folder(tmp_path / "tiny", ENGLISH, "max_tokens = 2"))
    assert np.allclose(made.embed(["cup cup tea"]), made.embed(["cup"]))


def test_the_name_tells_what_decides_the_vectors(tmp_path: Path) -> None:
    plain = OnnxEmbedder(write_folder(tmp_path / "a" / "tiny", ENGLISH))
    same = OnnxEmbedder(write_folder(tmp_path / "b" / "tiny", ENGLISH))
    other = OnnxEmbedder(write_folder(tmp_path / "c" / "tiny", ENGLISH, 'pooling = "cls"'))
    assert plain.name.startswith("tiny-")
    assert plain.name == same.name != other.name


@pytest.mark.parametrize(
    "options",
    ['pooling = "max"', "lowercase = 1", "max_tokens = 0", "threads = true", "colour = 1", "= 1"],
)
def test_a_wrong_option_is_named(tmp_path: Path, options: str) -> None:
    folder = write_folder(tmp_path / "tiny", ENGLISH, options)
    with pytest.raises(ConfigError, match=r"embedding\.toml"):
        OnnxEmbedder(folder)


def test_missing_and_broken_files(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"model\.onnx.*embedding\.folder"):
        OnnxEmbedder(tmp_path)
    folder = write_folder(tmp_path / "tiny", ENGLISH)
    (folder / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelRefused, match="cannot be loaded"):
        OnnxEmbedder(folder).embed(["tea"])


def test_a_model_that_makes_no_numbers_is_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "tiny", {"tea": [float("nan"), 1.0]})
    with pytest.raises(BadVector, match="not finite"):
        OnnxEmbedder(folder).embed(["tea"])


def test_what_is_not_installed_is_named_with_its_line() -> None:
    with pytest.raises(MissingExtra, match=r'pip install "mnemic\[local-models\]"'):
        extras.require("local-models", "json", "no_such_module_here")
    with pytest.raises(MissingExtra, match=r"no_such_module_here is not installed"):
        extras.load("models", "no_such_module_here")
