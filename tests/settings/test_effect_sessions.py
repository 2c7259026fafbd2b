"""Settings of sessions and prompts that presets of the documents differ in."""

from __future__ import annotations

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


@pytest.mark.setting("extraction.stories", "reconcile.judge")
@pytest.mark.parametrize(("name", "purpose"), [("stories", "episode"), ("judge", "reconcile")])
@pytest.mark.parametrize("asked", [False, True])
def test_a_model_is_asked_only_where_it_is_wanted(
    open_mind: OpenMind, name: str, purpose: str, asked: bool
) -> None:
    group = "extraction" if name == "stories" else "reconcile"
    fact = {"kind": "fact", "content": "The reviewer of orchid is Bo", "subject": "orchid",
            "predicate": "reviewer", "confidence": 0.95, "turns": [1]}  # fmt: skip
    with Scripted() as server:
        server.always(thinking.proposing(lambda text: [fact]))
        mind = open_mind(**thinking.settings(server), **{group: {name: asked}})
        mind.remember("The reviewer of orchid is Ana", kind="fact", subject="orchid",
                      predicate="reviewer")  # fmt: skip
        with mind.session("s") as session:
            session.user("The reviewer of orchid is Bo")
        mind.drain()
        assert bool(calls(server, purpose)) == asked
