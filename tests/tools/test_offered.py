"""The setting for which tools a model gets."""

from __future__ import annotations

from typing import get_args

import pytest

import mnemic
from mnemic.serve.mcp import ResourceList, instructions, prompt_text
from mnemic.settings.environment import ToolName
from mnemic.tools import call_tool, tool_names, tool_specs
from tests.conftest import OpenMind


def test_every_tool_can_be_named_in_the_setting() -> None:
    assert set(get_args(ToolName)) == set(tool_names())


@pytest.mark.setting("tools.offered")
def test_only_those_that_are_named_are_offered_and_run(open_mind: OpenMind) -> None:
    mind = open_mind(":memory:", tools={"offered": ["search_memory", "confirm_memory"]})
    assert tool_names(mind) == ("search_memory",), "another setting is about the user's name"
    assert [spec["name"] for spec in tool_specs("mcp", mind=mind)] == ["search_memory"]
    left_out = call_tool(mind, "add_memory", {"text": "likes tea"})
    assert left_out.is_error
    assert "search_memory" in left_out.text
    assert mind.memories() == []
    told = instructions(mind, "en")
    assert "search_memory" in told
    assert "add_memory" not in told
    # A person attaches a resource and picks a prompt, whatever the model may call.
    mind.write_scratchpad("ship the release")
    assert "ship the release" in ResourceList(mind).read("mnemic://scratchpad")
    assert "Nothing waits" in prompt_text(mind, "review", {})


def test_a_name_that_is_none_is_refused(open_mind: OpenMind) -> None:
    with pytest.raises(mnemic.ConfigError, match="search_memory"):
        open_mind(":memory:", tools={"offered": ["serch_memory"]})
