"""Document D §10.4, lived through under the preset myclaw: how the prompt names its tier 1."""

from __future__ import annotations

import pytest

from tests.conftest import OpenMind


@pytest.mark.statement("D106")
@pytest.mark.parametrize(
    ("known", "asked"),
    [
        ("用户名 yangyang，全栈工程师，偏好 Go/TypeScript", "接下来做什么好呢"),
        ("The user is yangyang, a full-stack engineer", "what shall we do next"),
    ],
)
def test_the_core_stands_under_the_documents_heading(
    open_mind: OpenMind, known: str, asked: str
) -> None:
    mind = open_mind(preset="myclaw")
    assert "# Core Memory" not in mind.context(asked, session="s").text, "nothing is known yet"
    mind.remember(known, kind="identity", importance=1.0)
    prompt = mind.context(asked, session="s")
    lines = prompt.text.splitlines()
    heading = lines.index("# Core Memory")
    assert any(known in line for line in lines[heading:])
    assert not any(known in line for line in lines[:heading])
    assert prompt.messages[0].role == "system"
    assert "# Core Memory\n" in prompt.messages[0].content, "always in the system prompt"
    assert not {"## 一直记得的", "## Always known"} & {*lines}
    other = open_mind(":memory:")
    other.remember(known, kind="identity", importance=1.0)
    assert "# Core Memory" not in other.context(asked, session="s").text.splitlines()
