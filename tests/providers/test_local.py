"""The local default: vectors that come with the package, for any text, without a download."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tokenizers import Tokenizer

from mnemic.errors import MissingExtra, ModelRefused
from mnemic.providers.embedding import local
from mnemic.providers.embedding.base import Vectors, WordEmbedder
from mnemic.providers.embedding.local import LocalEmbedder, installed
from mnemic.providers.embedding.word_pieces import WordPieces

TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
WEIGHTS = Path("weights", "l2_supercat_256.safetensors")

embedder = LocalEmbedder()
pieces = WordPieces(installed() / TOKENIZER)
reference = Tokenizer.from_file(str(installed() / TOKENIZER))

# Surrogates are included: they are refused at the door, and must not break what stands behind it.
texts = st.text(st.characters(codec=None), max_size=80) | st.text(
    st.sampled_from("ab 的我 \n\t\0é🙂'.▁<s>0x41A"), max_size=40
)


def lengths(rows: Vectors) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = (rows.astype(np.float64) ** 2).sum(axis=1)
    return np.sqrt(squares)


@pytest.mark.feature("X9")
@given(st.lists(texts, max_size=6))
def test_any_texts_have_finite_rows_of_unit_length(given_texts: list[str]) -> None:
    rows = embedder.embed(given_texts)
    assert rows.shape == (len(given_texts), embedder.dimensions)
    assert rows.dtype == np.float32
    assert np.isfinite(rows).all()
    spoken = [bool(text.strip()) for text in given_texts]
    assert np.allclose(lengths(rows), spoken, atol=1e-5)


@given(st.lists(texts, min_size=1, max_size=6))
def test_a_batch_says_exactly_what_each_text_says_alone(given_texts: list[str]) -> None:
    together = embedder.embed(given_texts)
    alone = [LocalEmbedder.embed(embedder, [text])[0] for text in given_texts]
    assert np.array_equal(together, np.array(alone))
    assert np.array_equal(together, embedder.embed(given_texts, query=True))


@given(texts)
def test_pieces_are_those_of_the_reference(text: str) -> None:
    clean = text.encode("utf-8", "replace").decode()
    if "<s>" in clean or "</s>" in clean or "<unk>" in clean:
        return  # The reference takes these for its own marks; to us they are what someone wrote.
    found = list(pieces.of(clean)) if clean else []
    assert found == reference.encode(clean, add_special_tokens=False).ids


@pytest.mark.parametrize(
    "text",
    [
        "I upgraded to Python 3.12 and use uv for everything now.",
        "我升级到 Python 3.12 了，以后都用 uv。龘",
        "def f(x):\n    return  x ** 2   # ▁ and <0x41> are text\n\n",
        "Ünïcödé ﬁ e\u0301 👩‍👩‍👧 \x00 \u200b ไทย 한국어 かな",
        " leading and trailing  ",
    ],
)
def test_pieces_of_usual_texts_are_those_of_the_reference(text: str) -> None:
    assert list(pieces.of(text)) == reference.encode(text, add_special_tokens=False).ids


def test_marks_of_the_vocabulary_are_only_text() -> None:
    assert min(pieces.of("<s></s><unk>")) >= 3


@pytest.mark.parametrize(
    "text",
    [
        "all work and no play " * 50_000,
        "只工作不玩耍聪明孩子也变傻" * 26_000,
        "QmFzZTY0" * 125_000,
        "\0" * 1_000_000,
        " " * 1_000_000 + "a",
        "▁" * 1_000_000 + "a",
    ],
    ids=["english", "chinese", "one word", "nul", "spaces", "marks"],
)
def test_a_megabyte_is_one_vector(text: str) -> None:
    started = time.process_time()
    row = embedder.embed([text])
    assert lengths(row) == pytest.approx(1, abs=1e-4)
    assert time.process_time() - started < 20


def test_like_is_near_like_in_both_languages() -> None:
    rows = embedder.embed(
        [
            "I have a dog and two cats",
            "my pets are a puppy and a kitten",
            "the train to Berlin leaves at noon",
            "我喜欢吃苹果和香蕉",
            "苹果香蕉都很好吃",
            "服务器昨天晚上宕机了",
        ]
    )
    near = rows @ rows.T
    assert near[0, 1] > near[0, 2] + 0.2
    assert near[3, 4] > near[3, 5] + 0.2


def test_words_can_be_weighed() -> None:
    assert isinstance(embedder, WordEmbedder)
    plain = embedder.embed_words([("Caroline", 1), ("adoption", 1), ("interview", 1)])
    weighed = embedder.embed_words([("Caroline", 0.1), ("adoption", 5), ("interview", 4)])
    topic, person = embedder.embed(["adoption interview", "Caroline"])
    assert weighed @ topic > plain @ topic
    assert weighed @ person < plain @ person
    assert np.linalg.norm(weighed) == pytest.approx(1, abs=1e-5)


def test_equal_weights_say_what_the_text_says() -> None:
    words = "the adoption interview went well"
    parts = [(word, 2.5) for word in words.split()]
    assert np.allclose(embedder.embed_words(parts), embedder.embed([words])[0], atol=1e-6)
    chinese = embedder.embed_words([(character, 1.0) for character in "我喜欢苹果"])
    assert chinese @ embedder.embed(["我喜欢苹果"])[0] > 0.9


@pytest.mark.parametrize("words", [[], [("", 1.0)], [(" ", 1.0)], [("tea", 0.0)]])
def test_no_weight_is_no_vector(words: list[tuple[str, float]]) -> None:
    assert not embedder.embed_words(words).any()


def test_many_threads_agree_on_a_fresh_model() -> None:
    fresh = LocalEmbedder()
    given_texts = [f"word{number} 第{number}个 {chr(0x4E00 + number)}" for number in range(300)]
    right = embedder.embed(given_texts)
    found: list[Vectors] = []
    threads = [
        threading.Thread(target=lambda: found.append(fresh.embed(given_texts))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(np.array_equal(rows, right) for rows in found)


@pytest.mark.feature("X9")
def test_it_is_light() -> None:
    """Nothing is loaded before use, and the package that carries the vectors never is."""
    code = """
import sys, time
from mnemic.providers.embedding.local import LocalEmbedder
embedder = LocalEmbedder()
before = time.process_time()
embedder.embed(["hello"])
loading = time.process_time() - before
texts = [f"I moved to flat {n} with my dog and started a new job" for n in range(5000)]
before = time.process_time()
embedder.embed(texts)
print(loading, len(texts) / (time.process_time() - before))
heavy = {"wordllama", "tokenizers", "safetensors", "pydantic", "requests", "huggingface_hub"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    said = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    # Processor time, and far from what is usual (0.1 s, 20 000): only a blunder must fail here.
    assert float(said[0]) < 1.0
    assert float(said[1]) > 3000


def test_without_the_package_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_PACKAGE", "no_such_package")
    with pytest.raises(MissingExtra, match=r"mnemic\[local\]"):
        LocalEmbedder().embed(["a"])


@pytest.mark.parametrize("spoil", ["", "short", '{"embedding.weight": 3}', "missing"])
def test_broken_files_are_named(tmp_path: Path, spoil: str) -> None:
    (tmp_path / "weights").mkdir()
    (tmp_path / "tokenizers").symlink_to(installed() / "tokenizers")
    if spoil != "missing":
        header = len(spoil).to_bytes(8, "little") + spoil.encode()
        (tmp_path / WEIGHTS).write_bytes(header)
    with pytest.raises(ModelRefused, match=WEIGHTS.name):
        LocalEmbedder(tmp_path).embed(["a"])


def test_a_broken_tokenizer_is_named(tmp_path: Path) -> None:
    (tmp_path / "tokenizers").mkdir()
    (tmp_path / TOKENIZER).write_text('{"model": {"vocab": {"a": ')
    with pytest.raises(ModelRefused, match="vocabulary"):
        LocalEmbedder(tmp_path).embed(["a"])


def test_a_vocabulary_that_was_replaced_is_read_again(tmp_path: Path) -> None:
    """It is read once for all embedders of a process, as long as the file is the same."""
    (tmp_path / "tokenizers").mkdir()
    (tmp_path / "weights").symlink_to(installed() / "weights")
    shutil.copy(installed() / TOKENIZER, tmp_path / TOKENIZER)
    right = LocalEmbedder(tmp_path).embed(["a cup of tea"])
    (tmp_path / TOKENIZER).write_text('{"model": {"vocab": {"a": 0}}}')
    os.utime(tmp_path / TOKENIZER, ns=(1, 1))
    with pytest.raises(ModelRefused, match="for 1 pieces"):
        LocalEmbedder(tmp_path).embed(["a cup of tea"])
    assert np.array_equal(LocalEmbedder().embed(["a cup of tea"]), right)
