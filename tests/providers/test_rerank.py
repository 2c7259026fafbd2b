"""A cross-encoder from a folder, and the order it gives."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mnemic
from mnemic.errors import BadVector, ConfigError, MissingExtra, ModelRefused
from mnemic.language.windows import query_windows
from mnemic.providers.rerank import OnnxReranker, Passage, fuse
from mnemic.recall.engine import PART, rerank, reranker_for
from mnemic.settings import load
from mnemic.types import Hit, NewTurn, Why
from tests.providers.tiny import write_judge

WORDS = {"tea": [6.0], "绿茶": [6.0], "coffee": [-6.0], "and": [0.0], "what": [0.0]}

FORMULA = {"fusion": "rrf"}
TURNS = (
    "The guests like green tea.",
    "Our guests did like the tea from Assam.",
    "The guests at the long table by the window like their tea with some saffron in it.",
    "The guests also like mint tea a lot.",
)


def judge(tmp_path: Path, options: str = "") -> OnnxReranker:
    return OnnxReranker(write_judge(tmp_path / "judge", WORDS, options))


def logits(model: OnnxReranker, query: str, *texts: str) -> list[float]:
    return [float(one) for one in model.judge(query, [Passage(text) for text in texts])]


def hit(text: str, score: float) -> Hit:
    now = datetime(2026, 2, 12, tzinfo=UTC)
    return Hit("turn", text, text, score, Why(("text",), {"text": score}), (), now)


class Stopwatch:
    """A clock on which every look at it is so many seconds later."""

    def __init__(self, step: float) -> None:
        self.step, self.now = step, 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.mark.feature("N10")
def test_each_passage_is_judged_beside_the_query(tmp_path: Path) -> None:
    model = judge(tmp_path)
    found = logits(model, "what", "coffee", "tea", "绿茶", "and", "tea and coffee")
    assert found[1] == found[2] > found[3] > found[0]
    assert found[3] == 0
    assert model.judge("what", []).shape == (0,)
    long = logits(model, "what", "tea " * 10_000, *["coffee"] * 40)
    assert long[0] > 2
    assert max(long[1:]) < 0


def test_a_judgment_does_not_depend_on_what_is_judged_beside_it(tmp_path: Path) -> None:
    model = judge(tmp_path)
    texts = ["tea", "coffee and " * 7, "", "绿茶 and", "tea " * 300, "and what"]
    assert logits(model, "what", *texts) == [logits(model, "what", text)[0] for text in texts]


def test_the_first_hits_are_put_in_order_and_say_why(tmp_path: Path) -> None:
    hits = [hit("coffee", 0.9), hit("tea", 0.896), hit("and", 0.89), hit("绿茶 tea", 0.6)]
    found = rerank(judge(tmp_path), "what", hits, 3, "UTC")
    assert [one.text for one in found] == ["tea", "coffee", "and", "绿茶 tea"]
    assert [one.score for one in found] == [0.9, 0.896, 0.89, 0.6]
    assert found[0].why.parts[PART] > 0.75 > found[1].why.parts[PART]
    assert PART not in found[3].why.parts
    assert rerank(judge(tmp_path / "again"), "what", [], 3, "UTC") == []


def test_the_model_is_fused_with_the_score(tmp_path: Path) -> None:
    hits = [hit("and", 0.9), hit("and tea", 0.1), hit("tea and", 0.1), hit("and what", 0)]
    found = rerank(judge(tmp_path), "what", hits, 4, "UTC")
    assert [one.text for one in found][:2] == ["and", "and tea"], "a far better score outweighs it"
    unjudged = np.array([np.nan, 1.0, np.nan, 3.0])
    moved = fuse([0.9, 0.8, 0.7, 0.6], unjudged, 1.0)
    assert moved[[0, 2]].tolist() == [0.9, 0.7]
    assert moved[3] == pytest.approx(0.7) == moved[1]
    assert fuse([0.9, 0.8], np.array([np.nan, 5.0]), 1.0).tolist() == [0.9, 0.8]
    assert fuse([], np.zeros(0), 1.0).tolist() == []


def test_the_time_is_kept(tmp_path: Path) -> None:
    folder = write_judge(tmp_path / "judge", WORDS, "milliseconds = 100")
    texts = ["and", *["tea"] * 19]

    def judged(step: float, times: int = 1) -> list[list[bool]]:
        model = OnnxReranker(folder, timer=Stopwatch(step))
        return [[np.isfinite(n) for n in logits(model, "what", *texts)] for _ in range(times)]

    assert judged(0.001) == [[True] * 20]
    assert judged(0.01) == [[True] * 10 + [False] * 10], "the best first, as many as fit"
    assert judged(0.03) == [[False] * 20], "three of twenty are not worth it"
    often = judged(0.03, 12)
    assert not any(any(row) for row in often)


def test_a_slow_model_is_tried_again_after_a_while(tmp_path: Path) -> None:
    watch = Stopwatch(0.05)
    folder = write_judge(tmp_path / "judge", WORDS, "milliseconds = 100")
    model = OnnxReranker(folder, timer=watch)
    texts = ["tea"] * 6
    assert np.isnan(logits(model, "what", *texts)).all()
    before = watch.now
    assert np.isnan(logits(model, "what", *texts)).all()
    assert watch.now == before, "its cost is remembered: not even tried"
    watch.step = 0.001  # the machine is no longer busy
    tries = [np.isfinite(logits(model, "what", *texts)).all() for _ in range(12)]
    assert tries[-1]
    assert not tries[0]


def test_no_limit(tmp_path: Path) -> None:
    folder = write_judge(tmp_path / "judge", WORDS, "milliseconds = 0")
    model = OnnxReranker(folder, timer=Stopwatch(60))
    assert np.isfinite(logits(model, "what", *["tea"] * 20)).all()


def test_only_the_languages_of_the_model_are_judged(tmp_path: Path) -> None:
    english = judge(tmp_path, 'languages = ["en"]')
    assert np.isnan(logits(english, "我喜欢喝什么茶？", "tea", "绿茶")).all()
    mixed = logits(english, "what", "tea", "我喜欢喝绿茶", "coffee")
    assert [np.isnan(one) for one in mixed] == [False, True, False]
    every = judge(tmp_path / "every")
    assert np.isfinite(logits(every, "我喜欢喝什么茶？", "tea", "我喜欢喝绿茶")).all()


@pytest.mark.parametrize(
    "text",
    ["", " ", "\x00", "[SEP] [CLS] [PAD]", "İ" * 900, "🍵" * 900, "a" * 300_000,
     "tea\n" * 50_000, "\u202e" * 40, "茶" * 5_000, "(?" * 500],
)  # fmt: skip
def test_any_string_is_judged(tmp_path: Path, text: str) -> None:
    model = judge(tmp_path, "before_tokens = 8\nmax_tokens = 24")
    passage = Passage(text, speaker=text, day=date(2026, 2, 12), before=text)
    for query in ("what", text):
        found = model.judge(query, [passage, Passage("tea")])
        assert not query.strip() or np.isfinite(found).all()


def test_who_when_and_the_turn_before_are_read(tmp_path: Path) -> None:
    words = {"Ann": [3.0], "12": [5.0], "February": [7.0], "2026": [0.0], "tea": [1.0]}
    folder = write_judge(tmp_path / "judge", {**words, "x": [0.0]}, "before_tokens = 2")
    model = OnnxReranker(folder)
    day = date(2026, 2, 12)
    found = model.judge(
        "x",
        [Passage("x", "Ann", day), Passage("x", "Ann"), Passage("x", before="tea tea tea"),
         Passage("x")],
    )  # fmt: skip
    assert found.tolist() == pytest.approx([15 / 7, 3 / 4, 2 / 4, 0]), "7 tokens with the colon"


def test_the_part_of_a_long_text_about_the_query_is_read(tmp_path: Path) -> None:
    filler = "Something was said about work and the weather. " * 40
    long = f"{filler}We adopted a greyhound named Pixel in spring. {filler}"
    other = f"{filler} adopted {filler}"
    (window, _, short) = query_windows("Which dog did Ann adopt?", [long, other, "A dog."], 24)
    assert "adopted a greyhound" in window
    assert len(window) == 120
    assert short == "A dog."
    chinese = (
        f"{'今天天气很好，工作也很忙。' * 40}我们领养了一只灰狗叫像素。{'后来又下雨了。' * 40}"
    )
    (window,) = query_windows("领养的狗叫什么名字？", [chinese], 24)
    assert "领养了一只灰狗" in window
    assert query_windows("?", [filler], 10) == [filler[:50]]
    assert query_windows("dog", [], 10) == []
    folder = write_judge(tmp_path / "judge", WORDS, "max_tokens = 30")
    assert logits(OnnxReranker(folder), "tea", f"{'what ' * 500}tea{' what' * 500}")[0] > 0.2


def test_it_reads_candidates_before_the_cut(tmp_path: Path) -> None:
    folder = write_judge(tmp_path / "judge", {"saffron": [9.0], "x": [0.0]})

    def best(**settings: Any) -> list[str]:
        with mnemic.open(":memory:", worker="none", ranking=FORMULA, **settings) as mind:
            mind.record_many(
                [NewTurn(session=str(n), role="user", text=text) for n, text in enumerate(TURNS)]
            )
            return [hit.text for hit in mind.recall("Which tea did the guests like", limit=1)]

    (found,) = best()
    assert "saffron" not in found, "all have the words of the question: the newest comes first"
    (found,) = best(recall={"rerank_folder": str(folder)})
    assert "saffron" in found


@pytest.mark.setting("recall.rerank_folder")
def test_the_settings_name_the_folder(tmp_path: Path) -> None:
    assert reranker_for(load("default").recall) is None
    folder = write_judge(tmp_path / "judge", WORDS)
    named = load("default", overrides={"recall.rerank_folder": str(folder)}).recall
    found = reranker_for(named)
    assert found is not None
    assert np.argmax(found.judge("what", [Passage("coffee"), Passage("tea")])) == 1
    with pytest.raises(ConfigError, match=r"model\.onnx"):
        OnnxReranker(tmp_path)


@pytest.mark.parametrize(
    ("options", "wrong"),
    [("max_tokens = 0", "max_tokens"), ("lowercase = 1", "lowercase"), ("other = 1", "other"),
     ("threads = -1", "threads"), ("threads = true", "threads"), ("= 3", "TOML"),
     ("milliseconds = -1", "milliseconds"), ("before_tokens = 0.5", "before_tokens"),
     ("languages = \"en\"", "languages"), ("languages = [\"de\"]", "languages")],
)  # fmt: skip
def test_wrong_options_are_named(tmp_path: Path, options: str, wrong: str) -> None:
    with pytest.raises(ConfigError, match=wrong):
        judge(tmp_path, options)


def test_options_are_used(tmp_path: Path) -> None:
    model = judge(tmp_path, "lowercase = true\nmax_tokens = 4\nthreads = 0")
    assert logits(model, "what", "TEA")[0] > 2
    assert logits(model, "what", "coffee and and tea tea tea")[0] < 0, "cut after the first"


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    two = OnnxReranker(write_judge(tmp_path / "two", {"tea": [0.0, 6.0], "coffee": [6.0, 0.0]}))
    assert logits(two, "x", "tea", "coffee") == [3.0, -3.0]
    three = OnnxReranker(write_judge(tmp_path / "three", {"tea": [1.0, 2.0, 3.0]}))
    with pytest.raises(BadVector, match="3 numbers"):
        logits(three, "tea", "tea")
    nan = OnnxReranker(write_judge(tmp_path / "nan", {"tea": [float("nan")]}))
    with pytest.raises(BadVector, match="finite"):
        logits(nan, "tea", "tea")
    broken = write_judge(tmp_path / "broken", WORDS)
    (broken / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelRefused):
        logits(OnnxReranker(broken), "tea", "tea")


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_judge(tmp_path / "judge", WORDS)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra) as caught:
        OnnxReranker(folder)
    assert "mnemic[local-models]" in str(caught.value.remedy)
