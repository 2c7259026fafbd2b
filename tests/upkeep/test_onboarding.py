"""Onboarding: once ever, in order, a yes or a change, and nothing lost in a crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic import Mind
from mnemic.documents.onboarding import (
    list_questions,
    next_question,
    read_change,
    stage_of,
)
from mnemic.types import constant
from tests.conftest import OpenMind

ANSWERS = (
    "a calm partner", "short and dry", "ask before you delete", "never invent facts", "tests first",
    "Lin", "full-stack engineer", "Go and TypeScript", "small steps",
)  # fmt: skip


def answer_all(mind: Mind) -> None:
    for text in ANSWERS:
        mind.onboard(text)


@pytest.mark.statement("C12", "C14", "C15", "C16")
@pytest.mark.feature("V8")
@pytest.mark.feature("V8", preset="shiyi")
def test_the_first_talk_is_held_once_ever(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind(preset="shiyi")
    stages = []
    for text in ANSWERS:
        now = mind.onboarding()
        stages.append(now.stage)
        assert now.text
        mind.onboard(text)
    assert stages == ["agent"] * 5 + ["user"] * 4
    summed = mind.onboarding()
    assert summed.stage == "summary"
    assert all(text in summed.text for text in ANSWERS)
    assert mind.memories() == [], "nothing is kept before the yes"
    changed = mind.onboard("name: Lin Xia")
    assert "Lin Xia" in changed.text
    assert mind.onboard("what do you mean?").stage == "summary"
    assert mind.onboard("confirm").done
    known = {memory.predicate: memory for memory in mind.memories()}
    assert known[constant("name")].value == "Lin Xia"
    assert known[constant("name")].kind == "identity"
    assert known[constant("tone")].kind == "trait"
    assert {memory.trust for memory in known.values()} == {"owner"}
    home = tmp_path / "data" / "memory"
    assert "short and dry" in (home / "system" / "ShiYi.md").read_text(encoding="utf-8")
    assert "Lin Xia" in (home / "shared" / "User.md").read_text(encoding="utf-8")
    assert mind.onboarding().done
    assert mind.onboarding(begin=True).done
    assert mind.onboard("again").done
    mind.close()
    assert open_mind(preset="shiyi").onboarding().done


@pytest.mark.feature("V8", preset="shiyi")
def test_a_broken_off_talk_goes_on(open_mind: OpenMind) -> None:
    for n, text in enumerate(ANSWERS):
        mind = open_mind(preset="shiyi")
        assert mind.onboarding().key == list_questions()[n].key
        mind.onboard(text)
        mind.close()
    assert open_mind(preset="shiyi").onboarding().stage == "summary"


@pytest.mark.feature("V8")
def test_in_chinese_with_questions_left_out(open_mind: OpenMind) -> None:
    mind = open_mind(preset="shiyi", memory={"language": "zh"})
    assert mind.onboarding().text == "你希望我是什么样的身份？"
    for text in ("冷静的搭档", "简短", "跳过", "-", "跳过", "小林", "工程师", "跳过", "跳过"):
        mind.onboard(text)
    assert "称呼: 小林" in mind.onboarding().text
    mind.onboard("把称呼改成林霞")
    assert mind.onboard("确认").done
    assert {memory.value for memory in mind.memories()} == {"冷静的搭档", "简短", "林霞", "工程师"}


@pytest.mark.feature("V8")
def test_other_presets_do_not_ask_unless_told_to(mind: Mind) -> None:
    assert mind.onboarding().done
    assert mind.onboarding(begin=True).key == "role"
    assert mind.onboarding().key == "role"


@given(st.dictionaries(st.sampled_from([q.key for q in list_questions()]), st.text(max_size=5)))
def test_every_state_has_a_next_step(answers: dict[str, str]) -> None:
    question = next_question(answers)
    assert (question is None) == (stage_of(answers) == "summary")
    if question is not None:
        assert question.key not in answers
        assert question.stage == stage_of(answers)


@given(st.text(max_size=60))
def test_no_text_breaks_the_reading_of_a_change(text: str) -> None:
    found = read_change(text)
    assert found is None or found[0] in {q.key for q in list_questions()}
