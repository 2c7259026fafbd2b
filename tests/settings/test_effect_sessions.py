"""Settings of sessions and prompts that presets of the documents differ in."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted
from tests.statements.playing import calls


@pytest.mark.setting("scratchpad.progress")
@pytest.mark.parametrize("progress", [False, True])
def test_prompts_show_what_is_done(open_mind: OpenMind, progress: bool) -> None:
    mind = open_mind(scratchpad={"progress": progress})
    mind.set_task("Fix the login page")
    mind.set_task("Plan the trip to Oslo")
    assert ("Fix the login page" in mind.context("next", session="s").text) == progress


@pytest.mark.setting("short_term.clear_at_end")
@pytest.mark.parametrize("clear", [False, True])
def test_an_ended_session_begins_anew(open_mind: OpenMind, clear: bool) -> None:
    mind = open_mind(short_term={"clear_at_end": clear})
    session = mind.session("s")
    session.user("hello")
    session.end()
    assert bool(session.recent()) == (not clear)


def ask(open_mind: OpenMind, purpose: str, **settings: Any) -> bool:
    """Whether a model is asked that question after a session about something known."""
    fact = {"kind": "fact", "content": "The reviewer of orchid is Bo", "subject": "orchid",
            "predicate": "reviewer", "confidence": 0.95, "turns": [1]}  # fmt: skip
    with Scripted() as server:
        server.always(thinking.proposing(lambda text: [fact]))
        mind = open_mind(**thinking.settings(server), **settings)
        mind.remember("The reviewer of orchid is Ana", kind="fact", subject="orchid",
                      predicate="reviewer")  # fmt: skip
        with mind.session("s") as session:
            session.user("The reviewer of orchid is Bo")
        mind.drain()
        return bool(calls(server, purpose))


@pytest.mark.setting("extraction.stories")
@pytest.mark.parametrize("stories", [False, True])
def test_a_model_tells_episodes_where_it_is_wanted(open_mind: OpenMind, stories: bool) -> None:
    assert ask(open_mind, "episode", extraction={"stories": stories}) == stories


@pytest.mark.setting("reconcile.judge")
@pytest.mark.parametrize("judge", [False, True])
def test_a_model_judges_where_it_is_wanted(open_mind: OpenMind, judge: bool) -> None:
    assert ask(open_mind, "reconcile", reconcile={"judge": judge}) == judge
