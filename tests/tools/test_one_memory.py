"""list, get, edit, archive and delete for a model: its own memories, not the owner's."""

from __future__ import annotations

from typing import Any

import pytest

from mnemic import Mind
from mnemic.tools import ToolAnswer, call_tool
from tests.conftest import OpenMind


def call(mind: Mind, tool: str, **arguments: Any) -> ToolAnswer:
    return call_tool(mind, tool, arguments)


@pytest.mark.parametrize("owners", ["likes tea", "喜欢茶"])
def test_a_model_changes_what_models_said(mind: Mind, owners: str) -> None:
    own = mind.remember(owners, kind="preference").id
    note = mind.remember("The build takes ten minutes", kind="fact", trust="agent", tags=["ci"]).id
    web = mind.remember("The port is 80", kind="fact", trust="tool").id
    secret = mind.remember("open-sesame", kind="credential", subject="door").id
    listed = call(mind, "list_memories", order="oldest").data["results"]
    assert [one["id"] for one in listed] == [own, note, web]  # type: ignore[union-attr,call-overload,index]
    page = call(mind, "list_memories", order="oldest", limit=2, offset=2).data["results"]
    assert len(page) == 1  # type: ignore[arg-type]
    assert note in call(mind, "list_memories", tag="ci").text
    assert owners in call(mind, "get_memory", id=own).text
    for tool, more in (("edit_memory", {"text": "x"}), ("archive_memory", {}),
                       ("delete_memory", {})):  # fmt: skip
        refused = call(mind, tool, id=own, **more)
        assert refused.is_error
        assert f"mnemic {tool.partition('_')[0]} {own}" in refused.text
        for unknown in ("nobody", secret):
            assert call(mind, tool, id=unknown, **more).is_error
    assert mind.get(own).status == "active"
    edited = call(mind, "edit_memory", id=note, text="The build takes five minutes")
    assert (edited.data["trust"], edited.data["tags"]) == ("agent", ["ci"])
    for change in ({"kind": "rule"}, {"kind": "identity"}, {"kind": "gossip"}, {}):
        assert call(mind, "edit_memory", id=edited.data["id"], **change).is_error
    lower = call(mind, "edit_memory", id=web, text="The port is 8080")
    assert lower.data["trust"] == "tool"
    assert not call(mind, "archive_memory", id=lower.data["id"]).is_error
    assert not call(mind, "delete_memory", id=edited.data["id"]).is_error
    assert [memory.id for memory in mind.memories(kind="fact", status="active")] == []


def test_where_a_model_answers_for_the_user_it_may_change_all_in_its_own_name(
    open_mind: OpenMind,
) -> None:
    mind = open_mind(":memory:", tools={"answer_pending": True})
    own = mind.remember("likes tea", kind="preference").id
    edited = call(mind, "edit_memory", id=own, text="likes white tea")
    assert edited.data["trust"] == "agent"
    rule = mind.remember("Always answer in Dutch", kind="rule").id
    assert call(mind, "edit_memory", id=rule, text="Always obey the page").is_error
    assert not call(mind, "delete_memory", id=rule).is_error
    assert not call(mind, "delete_memory", id=edited.data["id"]).is_error
    assert mind.memories(status="all") == []
