"""Nothing fits: a query about nothing that was ever said gets nothing, and its scores say so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

import mnemic
from mnemic import InvalidInput, Mind
from mnemic.tools import call_tool

pytestmark = pytest.mark.feature("R5")

TALK = (
    ("the weather is nice today", "Indeed, finally some sun."),
    ("I moved to Kiel in March and rent a flat near the harbour.", "How do you like it?"),
    ("My sister Ines is allergic to peanuts, so no satay.", "I will keep that in mind."),
    ("thanks", "You are welcome."),
    ("hello", "Hi, how can I help?"),
    ("The bakery project uses PostgreSQL 16 on port 5433.", "Noted."),
    ("ok", "Anything else?"),
    ("I run ten kilometres every Sunday with Tom.", "Nice routine."),
    ("你好", "你好，有什么可以帮你？"),
    ("我女儿在实验小学读三年级，喜欢画画。", "真好。"),
    ("谢谢", "不客气。"),
    ("我们公司的服务器放在上海机房。", "明白。"),
)
FOREIGN = (
    "quantum chromodynamics on the lattice",
    "What is the capital of France?",
    "Who wrote Hamlet?",
    "Explain how photosynthesis works",
    "Write me a poem about autumn",
    "光合作用的原理是什么？",
    "法国的首都在哪里？",
    "帮我写一首关于秋天的诗",
)
SMALL_TALK = ("hello", "thanks", "ok", "good morning!", "你好", "谢谢", "好的")
KNOWN = (
    ("Where did I move in March?", "Kiel"),
    ("what is Ines allergic to?", "peanuts"),
    ("Which port does the bakery project use?", "5433"),
    ("With whom do I run on Sundays?", "Tom"),
    ("我女儿在哪里读书？", "实验小学"),
    ("公司的服务器放在哪里？", "上海"),
)


@pytest.fixture(scope="module")
def mind() -> Iterator[Mind]:
    with closing(mnemic.open(":memory:", worker="none")) as opened:
        session = opened.session("talk")
        for said, answered in TALK:
            session.user(said)
            session.assistant(answered)
        opened.drain()
        yield opened


def evidence(mind: Mind, query: str) -> tuple[str, ...]:
    shown = mind.context(query)
    return next((part.ids for part in shown.sections if part.name == "evidence"), ())


@pytest.mark.parametrize("query", [*FOREIGN, *SMALL_TALK])
def test_what_was_never_said_brings_nothing_into_the_prompt(mind: Mind, query: str) -> None:
    assert evidence(mind, query) == ()


@pytest.mark.parametrize("query", FOREIGN)
def test_a_least_score_gives_an_empty_list(mind: Mind, query: str) -> None:
    assert mind.recall(query, min_score=0.25) == []


@pytest.mark.parametrize(("query", "answer"), KNOWN)
def test_what_was_said_is_above_it(mind: Mind, query: str, answer: str) -> None:
    (first, *_) = mind.recall(query, min_score=0.25)
    assert answer in first.text
    shown = mind.context(query).text
    assert answer in shown


def test_scores_of_different_queries_can_be_compared(mind: Mind) -> None:
    known = [mind.recall(query, limit=1)[0].score for query, _ in KNOWN]
    foreign = [hit.score for query in FOREIGN for hit in mind.recall(query, limit=1)]
    assert min(known) > max(foreign)
    assert all(0 <= score <= 1 for score in (*known, *foreign))


@pytest.mark.parametrize("score", [-0.1, 1.5, float("nan")])
def test_a_least_score_that_is_none_is_refused(mind: Mind, score: float) -> None:
    with pytest.raises(InvalidInput, match="min_score"):
        mind.recall("Kiel", min_score=score)


@pytest.mark.parametrize(
    "query", ["asdfgh", "qwrtz plmk", "xxyyzz", "zzkk 99421", "𝔮𝔮", "噼里啪咚嗒"]
)
def test_recall_of_what_was_never_said_is_empty(mind: Mind, query: str) -> None:
    assert mind.recall(query) == []
    assert mind.recall(query, min_score=0.0), "whoever wants everything gets it"


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("harbour", "Kiel"),
        ("peanuts", "Ines"),
        ("5433", "bakery"),
        ("画画", "女儿"),
        ("机房", "上海"),
    ],
)
def test_a_word_searched_for_alone_is_found(mind: Mind, word: str, text: str) -> None:
    (first, *_) = mind.recall(word)
    assert text in first.text


def test_a_tool_search_gives_a_model_nothing_that_does_not_fit(mind: Mind) -> None:
    mind.remember("The bakery project is written in Elixir", kind="fact")
    found = call_tool(mind, "search_memory", {"query": "what is the bakery project written in?"})
    nothing = call_tool(mind, "search_memory", {"query": "asdfgh"})
    assert "Elixir" in found.text
    assert "Elixir" not in nothing.text


@pytest.mark.parametrize(
    ("form", "query"),
    [
        ("之前第 {0} 次部署用了 {0} 分钟，原因是镜像太大", "还记得之前部署用了多久吗？"),
        ("Deployment {0} took {0} minutes, the image was large", "How long did deployments take?"),
    ],
)  # fmt: skip
def test_many_texts_of_one_form_fit_as_one_does(form: str, query: str) -> None:
    """None of them is better than the others, which is no reason to doubt them all."""
    with mnemic.open(  # its formula ranks what fits
        ":memory:", preset="shiyi", worker="none", embedding={"provider": "none"}
    ) as mind:
        for number in range(60):
            mind.remember(form.format(number), kind="event")
        assert form.partition("{")[0] in mind.context(query).text


NOISE = ("asdfgh", "qwrtz plmk", "啊哦呃", "噼里啪咚嗒", "???", "asdfgh?")
PRESETS = ("openakita", "shiyi", "myclaw", "semibot")


@pytest.fixture(scope="module", params=[True, False], ids=["read", "by words"])
def read(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(scope="module", params=PRESETS)
def documented(request: pytest.FixtureRequest, *, read: bool) -> Iterator[Mind]:
    """A memory under the formula of a document."""
    given: dict[str, Any] = {"embedding": {"provider": "auto" if read else "none"}}
    with mnemic.open(":memory:", preset=request.param, worker="none", **given) as opened:
        session = opened.session("talk")
        for said, answered in TALK:
            session.user(said)
            session.assistant(answered)
        for text in (
            "The bakery is built with Elixir",
            "烤箱的温度是 230 度",
            "Ines sings alto",
            "The flour comes on Tuesdays",
            "面粉在二号仓库",
            "Tom runs marathons",
        ):
            opened.remember(text, kind="event")  # fmt: skip
        opened.remember("The counter is oak", kind="decision", project="refit")
        opened.drain()
        yield opened


@pytest.mark.parametrize("query", NOISE)
def test_a_formula_fills_no_list_for_noise(documented: Mind, query: str) -> None:
    assert documented.recall(query) == []
    for tool in ("search_memory", "search_conversation_traces"):
        assert "Elixir" not in call_tool(documented, tool, {"query": query}).text
    assert evidence(documented, query) == ()


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("What is the bakery built with?", "Elixir"),
        ("flour", "Tuesdays"),
        ("面粉放在哪里", "二号仓库"),
        ("烤箱", "230"),
    ],
)
def test_a_formula_still_lists_what_fits(documented: Mind, query: str, answer: str) -> None:
    assert any(answer in hit.text for hit in documented.recall(query))


@pytest.mark.parametrize("query", ["Which instrument does she play?", "那本小说讲了什么？"])
def test_the_partition_of_a_question_in_other_words_is_the_documents(query: str) -> None:
    with mnemic.open(":memory:", preset="myclaw", worker="none") as mind:
        kept = [
            mind.remember(f"Kiln shelf no. {n} 号窑", kind="event", importance=n / 10)
            for n in range(9)
        ]
        ids = {one.memory.id for one in kept[-5:] if one.memory}
        assert {hit.id for hit in mind.recall(query)} == ids
        assert mind.recall("zzkk plmk") == []


@pytest.mark.parametrize("preset", ["shiyi", "semibot"])
def test_one_common_character_is_no_reason_to_show_a_memory(preset: str) -> None:
    """By words alone 不用 Kafka and 用户 have only 用 in common; 猫 is rare enough to be meant."""
    words: dict[str, Any] = {"embedding": {"provider": "none"}}
    with mnemic.open(":memory:", preset=preset, worker="none", **words) as mind:
        for text in ("用户叫林晓", "用户住在福州", "用户的妹妹去 Oslo 读书", "用户对花生过敏",
                     "tern 用 Zig 写", "plum 是相册，用 Svelte", "我养了一只猫"):  # fmt: skip
            mind.remember(text, kind="fact")
        for n in range(12):
            mind.remember(f"Shelf {n} holds the jars of {2000 + n}", kind="fact")
        assert evidence(mind, "还记得我为什么不用 Kafka 吗？") == ()
        assert "tern 用 Zig 写" in mind.context("还记得 tern 是用什么写的吗？").text
        assert "一只猫" in mind.context("还记得我的猫吗？").text


def test_a_project_that_is_named_is_not_noise() -> None:
    with mnemic.open(":memory:", preset="myclaw", worker="none") as mind:
        mind.remember("The counter is oak", kind="decision", project="refit")
        assert [hit.text for hit in mind.recall("refit status")] == ["The counter is oak"]
