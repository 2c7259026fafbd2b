"""Extraction on texts nobody should write: never a failure, always soon done, always the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.extract import EarlierMessage
from mnemic.types import KINDS
from tests.rules.extracting import learn, learn_after
from tests.timing import seconds_of, takes_less_than

pytestmark = pytest.mark.feature("X5")

PIECES = (
    *"I'm my we use Python 3.12 is due by Friday on port 8080 live in no, it's from now on".split(),
    *"我 叫 住在 用 升级到 了 不对，是 以后 都 周五 前 要 交 记住 的 不 再".split(),
    *"， 。 ？ “ ” ` ``` : ：".split(),
    "\n",
)
texts = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join))


@given(texts, st.lists(texts, max_size=3))
def test_any_text_gives_whole_candidates(text: str, before: list[str]) -> None:
    found = learn(text, *before)
    assert found == learn(text, *before)
    for one in found:
        assert one.kind in KINDS
        assert one.text.strip()
        assert one.subject
        assert one.predicate
        assert one.value or one.withdraws
        assert not (one.is_update and one.withdraws)


@pytest.mark.parametrize(
    "request_alone", ["Remember that.", "Remember this!", "记住。", "记住了。"]
)
def test_a_request_without_a_fact_leaves_the_facts_before_it(request_alone: str) -> None:
    assert [candidate.value for candidate in learn(f"I like tea. {request_alone}")] == ["tea"]


HOSTILE = (
    "a" * 1_000_000,
    "我" * 1_000_000,
    "I " * 500_000,
    "I like " * 150_000,
    "my " * 300_000 + "is due by Friday",
    "，" * 1_000_000,
    "“" * 1_000_000,
    '"' * 1_000_001,
    "`" * 1_000_001,
    "我用 " * 300_000,
    "[" * 1_000_000,
    "不对，是 " * 150_000,
    "1." * 500_000,
    "I use Python 3.12. " * 50_000,
    "我住在北京。" * 150_000,
    ": " * 500_000,
    "\n" * 1_000_000,
    "remember that " * 70_000,
    "以后" * 500_000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_megabyte_is_read_at_once(text: str) -> None:
    learn("I live in Oslo")
    learn("我住在杭州")
    assert takes_less_than(2, lambda: learn(text))


@pytest.mark.parametrize(
    "piece", ["I like ", "我用 Python ", "the of by is due ", "不再用 ", "and on port "]
)
def test_time_grows_with_the_length(piece: str) -> None:
    def spent(length: int) -> float:
        text = (piece * length)[:length]
        return min(seconds_of(lambda: learn(text)) for _ in range(3))

    learn(piece * 20)
    assert spent(4_000) < 30 * spent(400) + 0.05


@pytest.mark.feature("X6")
def test_a_stretch_before_compression_takes_moments() -> None:
    said = [
        EarlierMessage(
            "user", "I switched from VS Code to Zed last week, can you port my settings over?"
        ),
        EarlierMessage("assistant", "Sure. Here is how the settings of both compare: ... " * 20),
        EarlierMessage("user", "好的。另外我们把 Node 升级到 22 了，以后脚本都用 pnpm 跑"),
        EarlierMessage("tool", "error: port 8080 is in use\n" * 50),
        EarlierMessage(
            "user", "The build fails with this message and I do not know why, any idea?"
        ),
    ] * 10

    def stretch() -> int:
        return sum(
            len(learn_after(one.text, said[:place], role=one.role))
            for place, one in enumerate(said)
        )

    assert stretch() == 30  # and the patterns are compiled
    assert takes_less_than(0.05, stretch, occasions=150)  # a machine may be busy for seconds
