"""Identity cards: short, without debris, and made again only when a source changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic import Mind
from mnemic.documents.cards import (
    CARDS,
    Card,
    card_by_rules,
    plain_markdown,
)
from mnemic.language.tokens import count_tokens
from tests.conftest import OpenMind
from tests.providers.scripted import Scripted, reply, status

SOUL = """---
title: soul
---
# Soul

<!-- Written by a person.
- not this line
-->
Once upon a time there was a small fox who wanted to help everybody in the forest.

- **Honest**: never claim something was done that was not.
- Careful with what cannot be undone, however long the sentence that says so may be, because a long
  sentence can hold a principle too and cutting it off would lose it.

```bash
rm -rf /
```
![fox](fox.png)
-->
"""
AGENT = """# 工作方式

- 必须先读懂任务，再动手。
- 禁止虚报执行结果。

## 工具

- 优先使用专用工具，最后才用 shell。
"""
USER = """# User

- Name: Lin <!-- id:123 -->
- Employer: [待学习]
- Timezone: TBD
"""


def write_sources(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("SOUL.md", SOUL), ("AGENT.md", AGENT), ("USER.md", USER)):
        (folder / name).write_text(text, encoding="utf-8")


def compiled(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in (folder / "compiled").iterdir()}


def identity_of(mind: Mind) -> str:
    return mind.context("hello there, what is new?").text


NO_DOCUMENTS = {"write": ()}


@pytest.mark.feature("V7")
@pytest.mark.feature("V7", preset="openakita")
@pytest.mark.parametrize(("preset", "place"), [("default", "documents"), ("openakita", "identity")])
def test_sources_become_cards_and_cards_become_prompt(
    open_mind: OpenMind, tmp_path: Path, preset: str, place: str
) -> None:
    write_sources(tmp_path / place)
    mind = open_mind(preset=preset, documents=NO_DOCUMENTS)
    mind.remember("likes tea", kind="preference")
    mind.upkeep("daily")
    cards = compiled(tmp_path / place)
    assert set(cards) == {
        ".compiled_at", "soul.summary.md", "agent.core.md", "agent.tooling.md", "user.summary.md",
    }  # fmt: skip
    assert "never claim" in cards["soul.summary.md"]
    assert "would lose it" in cards["soul.summary.md"]
    assert cards["agent.tooling.md"].strip() == "- 优先使用专用工具，最后才用 shell。"
    assert "shell" not in cards["agent.core.md"]
    assert cards["user.summary.md"].strip() == "- Name: Lin"
    for text in cards.values():
        assert not any(debris in text for debris in ("<!--", "-->", "```", "rm -rf", "not this"))
    shown = identity_of(mind)
    assert "never claim" in shown
    assert "Name: Lin" in shown


@pytest.mark.feature("V7")
def test_a_card_is_made_again_only_when_its_source_changed(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    home = tmp_path / "documents"
    write_sources(home)
    mind = open_mind(documents=NO_DOCUMENTS)
    mind.remember("likes tea", kind="preference")
    made = [step.counts for step in mind.upkeep("daily").steps if step.name == "identity"]
    assert made == [{"written": 4}]
    (home / "SOUL.md").write_text(f"{SOUL}\n<!-- another remark -->", encoding="utf-8")
    again = [step.counts for step in mind.upkeep("daily").steps if step.name == "identity"]
    assert again == [{}], "a comment says nothing"
    (home / "SOUL.md").write_text(f"{SOUL}\n- Always kind.", encoding="utf-8")
    assert "Always kind" in identity_of(mind), "a prompt does not wait for upkeep"
    changed = [step.counts for step in mind.upkeep("daily").steps if step.name == "identity"]
    assert changed == [{"written": 1}]
    (home / "SOUL.md").unlink()
    mind.upkeep("daily")
    assert "soul.summary.md" not in compiled(home)
    assert "Always kind" not in identity_of(mind)


@pytest.mark.feature("V7")
def test_a_model_makes_the_cards_and_rules_stand_in(open_mind: OpenMind, tmp_path: Path) -> None:
    home = tmp_path / "documents"
    home.mkdir()
    (home / "SOUL.md").write_text(SOUL, encoding="utf-8")
    message = {"message": {"content": "- Be honest <!-- x -->"}, "finish_reason": "stop"}
    told = {"choices": [message], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    with Scripted() as server:
        mind = open_mind(
            documents=NO_DOCUMENTS,
            model={
                "provider": "openai",
                "name": "m",
                "base_url": server.url,
                "api_key": "sk-for-tests",
            },
            upkeep={"daily": ("identity",)},
        )
        server.then(status(400))
        mind.upkeep("daily")
        assert "never claim" in compiled(home)["soul.summary.md"], "without the model, by rule"
        server.then(reply(told))
        mind.upkeep("daily")
        assert compiled(home)["soul.summary.md"].strip() == "- Be honest"
        mind.upkeep("daily")
        assert [total.purpose for total in mind.usage()] == ["identity"]


@pytest.mark.feature("V7", preset="openakita")
def test_myclaw_reads_sources_as_they_are(open_mind: OpenMind, tmp_path: Path) -> None:
    home = tmp_path / "documents"
    home.mkdir()
    (home / "AGENTS.md").write_text(AGENT, encoding="utf-8")
    mind = open_mind(preset="myclaw")
    mind.remember("likes tea", kind="preference")
    mind.upkeep("daily")
    assert not (home / "compiled").exists()
    assert "必须先读懂任务" in identity_of(mind)


PIECES = st.sampled_from(
    [
        "- a rule\n",
        "<!--",
        "-->",
        "# Head\n",
        "text. ",
        "\n",
        "```\n",
        "1. one\n",
        "**b**",
        "必须。",
    ]
)


@given(st.lists(PIECES, max_size=20).map("".join), st.sampled_from(CARDS), st.integers(1, 60))
def test_no_source_leaves_debris_or_too_much(source: str, card: Card, tokens: int) -> None:
    text = card_by_rules(source, card, tokens)
    assert "<!--" not in text
    assert "-->" not in text
    assert count_tokens(text) <= tokens
    assert plain_markdown(plain_markdown(source)) == plain_markdown(source)
