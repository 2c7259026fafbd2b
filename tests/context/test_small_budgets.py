"""A budget that stays the same while memory grows: less is shown, and the context says so."""

from __future__ import annotations

from typing import Any

import pytest

from mnemic.errors import InvalidInput
from tests.conftest import OpenMind

TOO_SMALL = "the budget is smaller than what is never cut"


@pytest.mark.feature("P2", preset="shiyi")
@pytest.mark.parametrize("preset", ["default", "openakita", "shiyi", "myclaw", "semibot"])
def test_a_budget_that_worked_goes_on_working_as_the_core_grows(
    open_mind: OpenMind, preset: str
) -> None:
    mind = open_mind(preset=preset)
    mind.remember("Never deploy on Fridays", kind="rule", importance=1.0)
    assert mind.context("hello", budget=500).tokens <= 500
    for number in range(80):
        text = (
            f"规则 {number}：发布前必须检查第 {number} 项"
            if number % 2
            else f"Rule {number}: x" * 5
        )
        mind.remember(text, kind="rule", importance=0.9)
    for budget in (500, 60, 1):
        built = mind.context("hello", budget=budget)
        assert built.tokens <= built.budget <= budget
        shown = {id_ for use in built.sections for id_ in use.ids}
        left = {one.id for one in built.dropped if one.section == "core"}
        assert not shown & left
        assert all(one.reason for one in built.dropped)


def test_what_is_never_cut_is_cut_last_and_reported(open_mind: OpenMind) -> None:
    mind = open_mind()
    host: dict[Any, str] = {"rules": "Speak plainly. " * 40}
    folder = mind.documents_folder
    assert folder is not None
    folder.mkdir()
    lines = "\n".join(f"- Fact {number} about the user, which is long" for number in range(60))
    (folder / "USER.md").write_text(f"# User\n\n{lines}\n", "utf-8")
    whole = mind.context("hello", host=host)
    assert not [one for one in whole.dropped if one.reason == TOO_SMALL]
    card = next(use.tokens for use in whole.sections if use.name == "user")
    built = mind.context("hello", budget=card - 10, host=host)
    assert built.tokens <= built.budget
    assert "Fact 0 about the user" in built.text
    assert [one.section for one in built.dropped if one.reason == TOO_SMALL] == ["user"]
    assert {use.name for use in built.sections} == {"user"}


@pytest.mark.parametrize("budget", [0, -1, "9", 9.5, True, float("nan"), 10**400, [], object()])
def test_a_budget_that_is_no_number_of_tokens_is_refused(open_mind: OpenMind, budget: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^budget") as caught:
        open_mind().context("hello", budget=budget)
    assert caught.value.remedy
