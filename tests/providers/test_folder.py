"""Models from a folder: one, a Chinese and an English one, and model2vec's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mnemic.errors import BadVector, ConfigError, MissingExtra, ModelRefused, ModelUnavailable
from mnemic.providers import extras
from mnemic.providers.embedding.folder import (
    OnnxEmbedder,
    PairEmbedder,
    folder_embedder,
    is_chinese,
)
from mnemic.providers.embedding.model2vec import Model2VecEmbedder
from tests.providers.tiny import tokenizer, write_folder

ENGLISH = {"tea": [3.0, 4.0], "cup": [0.0, 1.0], "query": [1.0, 0.0]}
CHINESE = {"茶": [1.0, 0.0, 0.0], "杯": [0.0, 2.0, 0.0], "tea": [0.0, 0.0, 1.0]}


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
        folder_embedder(tmp_path)
    folder = write_folder(tmp_path / "tiny", ENGLISH)
    (folder / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelRefused, match="cannot be loaded"):
        OnnxEmbedder(folder).embed(["tea"])


def test_a_model_that_makes_no_numbers_is_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "tiny", {"tea": [float("nan"), 1.0]})
    with pytest.raises(BadVector, match="not finite"):
        OnnxEmbedder(folder).embed(["tea"])


def pair(folder: Path, bridge: np.ndarray | None = None) -> PairEmbedder:
    write_folder(folder / "zh", CHINESE)
    write_folder(folder / "en", ENGLISH)
    if bridge is not None:
        np.save(folder / "bridge.npy", bridge)
    made = folder_embedder(folder)
    assert isinstance(made, PairEmbedder)
    return made


@pytest.mark.feature("X9")
def test_without_a_bridge_each_language_has_its_own_space(tmp_path: Path) -> None:
    made = pair(tmp_path)
    rows = made.embed(["茶", "tea", "", "茶 tea"])
    assert made.dimensions == 5
    wanted = np.zeros((4, 5))
    wanted[0, 0] = 1
    wanted[1, 3:] = 0.6, 0.8
    wanted[3, [0, 2]] = 0.5**0.5
    assert np.allclose(rows, wanted)


@pytest.mark.feature("X9")
def test_with_a_bridge_each_language_finds_the_other(tmp_path: Path) -> None:
    # 0.6 and 0.8 of a vector of "tea" lead to the vector of 茶, and a last row adds to it.
    bridge = np.array([[0.6, 0.0, 0.0], [0.8, 0.0, 0.0], [0.0, 0.5, 0.0]])
    made = pair(tmp_path, bridge)
    tea, zh, blank = made.embed(["tea", "茶", " "])
    assert made.dimensions == 3
    assert np.allclose(tea, np.array([1.0, 0.5, 0.0]) / np.hypot(1, 0.5), atol=1e-6)
    assert tea @ zh > 0.85
    assert not blank.any()
    without = pair(tmp_path / "other", bridge[:2])
    assert np.allclose(without.embed(["tea"]), [[1, 0, 0]], atol=1e-6)
    assert made.name != without.name


def test_a_bridge_of_the_wrong_size_is_named(tmp_path: Path) -> None:
    made = pair(tmp_path, np.ones((5, 3)))
    with pytest.raises(ConfigError, match="2 rows, or 3, and 3 columns"):
        made.embed(["tea"])
    (tmp_path / "bridge.npy").write_bytes(b"no matrix")
    with pytest.raises(ConfigError, match=r"bridge\.npy"):
        folder_embedder(tmp_path)


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("我升级到 Python 3.12 了", True),
        ("用 uv", True),
        ("茶", True),
        ("My teacher 李 explained the whole grammar of the language", False),
        ("plain English, 123", False),
        ("12345", False),
        ("", False),
        ("ありがとうございます", False),
    ],
)
def test_which_model_a_text_goes_to(text: str, chinese: bool) -> None:
    assert is_chinese(text) is chinese


@pytest.mark.feature("X9")
def test_a_model2vec_folder(tmp_path: Path) -> None:
    from model2vec import StaticModel

    vectors = np.array([[0, 0], *ENGLISH.values()], dtype=np.float32)
    StaticModel(vectors, tokenizer(ENGLISH)).save_pretrained(tmp_path / "static")
    made = Model2VecEmbedder(str(tmp_path / "static"))
    rows = made.embed(["tea", "", "tea cup"])
    mean = np.array([3.0, 5.0]) / np.hypot(3, 5)
    assert np.allclose(rows, [[0.6, 0.8], [0, 0], mean], atol=1e-6)
    assert rows.dtype == np.float32
    assert made.dimensions == 2
    assert made.name.startswith("model2vec-static-")


def test_a_model2vec_model_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelUnavailable, match=r"embedding\.folder"):
        Model2VecEmbedder(str(tmp_path / "nothing")).embed(["tea"])
    with pytest.raises(ConfigError, match=r"embedding\.model"):
        Model2VecEmbedder("")


def test_what_is_not_installed_is_named_with_its_line() -> None:
    with pytest.raises(MissingExtra, match=r'pip install "mnemic\[local-models\]"'):
        extras.require("local-models", "json", "no_such_module_here")
    with pytest.raises(MissingExtra, match=r"no_such_module_here is not installed"):
        extras.load("models", "no_such_module_here")
