"""A hostile tool result in the memory, through each heavy framework."""

from __future__ import annotations

import asyncio

import pytest

import mnemic
from tests.hosts.test_frameworks import HOSTS
from tests.integrations.hostile_memory import (
    STORIES,
    USER,
    Show,
    check,
    seed,
    through_host,
)
from tests.providers.scripted import Scripted


def autogen_query(engine: mnemic.Engine, session: str, text: str, at: Scripted) -> str:
    pytest.importorskip("autogen_core")
    from mnemic.integrations import AutogenMemory

    found = asyncio.run(AutogenMemory(engine, session, user=USER).query(text))
    return "\n".join(str(one.content) for one in found.results)


def adk_search(engine: mnemic.Engine, session: str, text: str, at: Scripted) -> str:
    """What ADK's tools for memory read; no part of it is a message of the user."""
    pytest.importorskip("google.adk")
    from mnemic.integrations import AdkMemoryService

    search = AdkMemoryService(engine).search_memory(app_name="app", user_id=USER, query=text)
    entries = asyncio.run(search).memories
    assert all(entry.content.role is None and entry.author == "memory" for entry in entries)
    return "\n".join(str(part.text) for entry in entries for part in entry.content.parts or ())


DIRECT: tuple[Show, ...] = (autogen_query, adk_search)
SHOWS = (*map(through_host, HOSTS), *DIRECT)


def space_of(show: Show) -> str:
    """Whose memory it is: with ADK a user of an app."""
    return f"app:{USER}" if show.__name__ in ("google_adk", "adk_search") else USER


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("show", SHOWS, ids=lambda show: show.__name__)
@pytest.mark.parametrize("language", STORIES)
def test_host_shows_memory_fenced_with_speaker_and_date_once_or_not_at_all(
    show: Show, language: str, engine: mnemic.Engine, server: Scripted
) -> None:
    seed(engine.mind(space_of(show)), STORIES[language])
    check(show, engine, server, STORIES[language])
