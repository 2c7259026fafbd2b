"""A cross-encoder from a folder, and the order it gives."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from recollect.errors import BadVector, ConfigError, MissingExtra, ModelRefused
from recollect.providers.rerank import OnnxReranker
from recollect.recall.ranker import PART, reranked, reranker_for
from recollect.settings import load
from recollect.types import Hit, Why
from tests.providers.tiny import write_judge

WORDS = {"tea": [6.0], "绿茶": [6.0], "coffee": [-6.0], "and": [0.0], "what": [0.0]}


def judge(tmp_path: Path, options: str = "") -> OnnxReranker:
    return OnnxReranker(write_judge(tmp_path / "judge", WORDS, options))


def hit(text: str, score: float) -> Hit:
    now = datetime(2026, 2, 12, tzinfo=UTC)
    return Hit("turn", text, text, score, Why(("text",), {"text": score}), (), now)


@pytest.mark.feature("N10")
def test_each_passage_is_judged_beside_the_query(tmp_path: Path) -> None:
    model = judge(tmp_path)
    shares = model.judge("what", ["coffee", "tea", "绿茶", "and", "tea and coffee"])
    assert shares[1] == shares[2] > shares[3] > shares[0]
    assert shares[3] == pytest.approx(0.5)
    assert ((shares >= 0) & (shares <= 1)).all()
    assert model.judge("what", []).shape == (0,)
    long = model.judge("what", ["tea " * 10_000, *["coffee"] * 40])
    assert long[0] > 0.9
    assert (long[1:] < 0.5).all()


def test_the_first_hits_are_put_in_order_and_say_why(tmp_path: Path) -> None:
    hits = [hit("coffee", 0.9), hit("and", 0.8), hit("tea", 0.7), hit("绿茶 tea", 0.6)]
    found = reranked(judge(tmp_path), "what", hits, 3)
    assert [one.text for one in found] == ["tea", "and", "coffee", "绿茶 tea"]
    assert [one.score for one in found] == [0.9, 0.8, 0.7, 0.6]
    assert found[0].why.parts[PART] > 0.9 > found[0].why.parts["text"]
    assert PART not in found[3].why.parts
    assert reranked(judge(tmp_path / "again"), "what", [], 3) == []


@pytest.mark.setting("recall.rerank_folder")
def test_the_settings_name_the_folder(tmp_path: Path) -> None:
    assert reranker_for(load("default").recall) is None
    folder = write_judge(tmp_path / "judge", WORDS)
    named = load("default", overrides={"recall.rerank_folder": str(folder)}).recall
    found = reranker_for(named)
    assert found is not None
    assert np.argmax(found.judge("what", ["coffee", "tea"])) == 1
    with pytest.raises(ConfigError, match=r"model\.onnx"):
        OnnxReranker(tmp_path)


@pytest.mark.parametrize(
    ("options", "wrong"),
    [("max_tokens = 0", "max_tokens"), ("lowercase = 1", "lowercase"), ("other = 1", "other"),
     ("threads = -1", "threads"), ("threads = true", "threads"), ("= 3", "TOML")],
)  # fmt: skip
def test_wrong_options_are_named(tmp_path: Path, options: str, wrong: str) -> None:
    with pytest.raises(ConfigError, match=wrong):
        judge(tmp_path, options)


def test_options_are_used(tmp_path: Path) -> None:
    model = judge(tmp_path, "lowercase = true\nmax_tokens = 4\nthreads = 0")
    assert model.judge("what", ["TEA"])[0] > 0.9
    assert model.judge("what", ["coffee and and tea tea tea"])[0] < 0.5, "cut after the first"


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    two = OnnxReranker(write_judge(tmp_path / "two", {"tea": [0.0, 6.0], "coffee": [6.0, 0.0]}))
    shares = two.judge("x", ["tea", "coffee"])
    assert shares[0] > 0.9
    assert shares[1] < 0.1
    three = OnnxReranker(write_judge(tmp_path / "three", {"tea": [1.0, 2.0, 3.0]}))
    with pytest.raises(BadVector, match="3 numbers"):
        three.judge("tea", ["tea"])
    nan = OnnxReranker(write_judge(tmp_path / "nan", {"tea": [float("nan")]}))
    with pytest.raises(BadVector, match="finite"):
        nan.judge("tea", ["tea"])
    broken = write_judge(tmp_path / "broken", WORDS)
    (broken / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelRefused):
        OnnxReranker(broken).judge("tea", ["tea"])


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_judge(tmp_path / "judge", WORDS)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra) as caught:
        OnnxReranker(folder)
    assert "recollect[local-models]" in str(caught.value.remedy)
