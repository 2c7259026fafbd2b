"""The gate, on messages as people write them and on messages nobody should write."""

from __future__ import annotations

import random
import time
import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.gate import Verdict, wants_memory
from mnemic.settings import load
from mnemic.settings.recall import GateSettings
from tests.timing import takes_less_than

PROJECTS = ("_global", "myclaw", "拾忆", "Acme", "a")
PRESETS = ("shiyi", "myclaw")


def messages() -> Iterator[tuple[str, bool, str, str]]:
    with Path(__file__).with_name("gate_messages.toml").open("rb") as file:
        data = tomllib.load(file)
    for language, verdicts in data.items():
        for verdict, rules in verdicts.items():
            for rule, texts in rules.items():
                for text in texts:
                    yield language, verdict == "wants", rule, text


MESSAGES = list(messages())


@pytest.mark.feature("R1", preset=["shiyi", "myclaw"])
@pytest.mark.parametrize(
    ("wants", "rule", "text"), [(wants, rule, text) for _, wants, rule, text in MESSAGES]
)
def test_messages(wants: bool, rule: str, text: str) -> None:
    """Document C knows no length, and of questions searches only for those after a figure, a date,
    a place or a name.
    """
    verdict = wants_memory(text, load("myclaw", env={}).gate, PROJECTS)
    assert (verdict.wants, verdict.rule) == (wants, rule), verdict
    verdict = wants_memory(text, load("shiyi", env={}).gate, PROJECTS)
    assert verdict.wants == wants or rule == "question", verdict


def test_the_messages_are_many_and_in_both_languages() -> None:
    languages = [language for language, *_ in MESSAGES]
    assert len(languages) >= 240
    assert abs(languages.count("zh") - languages.count("en")) <= 0.1 * len(languages)


@pytest.mark.feature("R1", preset="myclaw")
@pytest.mark.parametrize(
    "text",
    # D §5.1, in the document's words
    "我的X 我之前 你记得 上次呢 昨天呢 做什么 怎么办 为什么 really? 喜欢它 设置好 配置好"
    " 密码呢".split(),
)
def test_myclaw_passes_what_its_document_lists(text: str) -> None:
    assert wants_memory(text, load("myclaw", env={}).gate).wants


@pytest.mark.feature("R1", preset="myclaw")
@pytest.mark.parametrize(
    "text",
    ["帮我写个函数", "翻译这段话", "继续", "好的", "确认", "ok", "yes", "no", "OK", " 继续 "],
)
def test_myclaw_skips_what_its_document_lists(text: str) -> None:
    assert not wants_memory(text, load("myclaw", env={}).gate).wants


@pytest.mark.feature("R1", preset="shiyi")
@pytest.mark.parametrize(
    "text",
    ["之前说的方案", "还记得方案吧", "上次的方案", "历史方案", "2月12日的方案", "方案.md 的内容"],
)
def test_shiyi_passes_what_its_document_lists(text: str) -> None:
    assert wants_memory(text, load("shiyi", env={}).gate).wants


def test_the_reason_names_the_rule_and_the_word() -> None:
    assert wants_memory("把上次那个脚本再改一下", GateSettings()) == Verdict(True, "time: 上次")
    assert wants_memory("Status of MYCLAW", GateSettings(), PROJECTS) == Verdict(
        True, "project: myclaw"
    )
    assert wants_memory("write a poem", GateSettings()) == Verdict(False, "command: write")


def test_a_project_is_a_whole_word() -> None:
    assert not wants_memory("the acmeist poets wrote well", GateSettings(), ["Acme"]).wants
    assert not wants_memory("pacme is nice", GateSettings(), ["acme"]).wants
    assert wants_memory("acmeist and acme", GateSettings(), ["acme"]).wants
    assert wants_memory("看看acme吧", GateSettings(), ["acme"]).wants
    assert not wants_memory("nothing to see", GateSettings(), ["", " ", "n"]).wants


def test_the_length_is_a_setting_and_fair_to_chinese() -> None:
    assert wants_memory("我的端口", GateSettings()).wants
    assert wants_memory("密码", GateSettings()).wants, "six bytes, as document D counts"
    assert not wants_memory("my", GateSettings()).wants
    assert not wants_memory("我的", GateSettings(min_chars=7)).wants
    assert not wants_memory("my port number?", GateSettings(min_chars=20)).wants


def test_what_is_mostly_code_wants_no_memory() -> None:
    text = "我的这段代码为什么报错？ ```x = 1```"
    assert wants_memory(text, GateSettings()).wants
    assert not wants_memory(f"{text} ```{'y = 2; ' * 9}```", GateSettings()).wants


def test_both_ends_of_a_long_message_are_read() -> None:
    filler = "lorem ipsum dolor sit amet " * 10_000
    assert not wants_memory(filler, GateSettings()).wants
    assert wants_memory(f"as we agreed: {filler}", GateSettings()).wants
    assert wants_memory(f"{filler} as we agreed", GateSettings()).wants
    assert not wants_memory(f"```\n{filler}\n``` ", GateSettings()).wants


HOSTILE = [
    *"a.`好({[\"'/\\1三-_?:#\n\t\x00。，请把周月\u3000\U0001f44d\ud800",
    *(
        "ok ",
        "好的",
        "```",
        "~~~",
        "def ",
        "(\n",
        "/a",
        "a/",
        "http://",
        "if x ",
        "2020-",
        "2月",
        "a.py",
        ".py_",
    ),
    *(
        "know ",
        "can you ",
        "请帮我",
        "import a\n",
        '"a":',
        "'",
        "：",
        "1/1/",
        "we'",
        " and",
        "\ud800",
    ),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_message_is_slow(piece: str) -> None:
    for length in (50, 2_000, 10_000_000):
        text = piece * (length // len(piece) + 1)
        for message in (text, f"{text}!", f"x{text}x"):
            # Far more than it takes: what this rules out is time that grows with the square.
            assert takes_less_than(0.25, partial(wants_memory, message, GateSettings(), PROJECTS))


@pytest.mark.feature("R1", preset=["shiyi", "myclaw"])
def test_it_takes_far_less_than_10_ms() -> None:
    took = []
    texts = [text for *_, text in MESSAGES] * 3
    random.Random(0).shuffle(texts)
    for text in texts:
        start = time.thread_time_ns()
        wants_memory(text, GateSettings(), PROJECTS)
        took.append(time.thread_time_ns() - start)
    took.sort()
    median, slow = took[len(took) // 2] / 1000, took[len(took) * 99 // 100] / 1000
    print(f"median {median:.0f} us, p99 {slow:.0f} us")
    assert median < 1_000


@given(st.text(max_size=300), st.lists(st.text(max_size=5), max_size=5))
def test_any_text_gets_a_verdict_with_a_reason(text: str, projects: list[str]) -> None:
    verdict = wants_memory(text, GateSettings(), projects)
    assert verdict.rule
    assert ": " in verdict.reason
