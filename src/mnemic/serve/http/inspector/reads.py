"""What the Inspector shows in one answer where the API would need one call for each row.

These routes are the page's own: no client has them, and they change with the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Unpack

from mnemic.engine.mind import Mind
from mnemic.engine.remote.operations import Operation, turns_around
from mnemic.errors import NotFound
from mnemic.types import (
    Episode,
    Event,
    JournalQuery,
    Memory,
    MemoryQuery,
    SessionInfo,
    SessionQuery,
    Turn,
)

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
_HAN = re.compile(r"[\u3400-\u9fff]")
_FEWEST_WORDS = 4  # a shorter title greets or nods more often than it says what was talked about
_FEWEST_HAN = 6
_LOOKED_AT = 6  # turns in which a title is looked for
_LEARNED = 3
_EPISODES = 20
_SAID_CHARS = 280
_TITLE_CHARS = 200


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory, and the words it was learned from."""

    memory: Memory
    said: str
    role: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation, what it was about and what came out of it."""

    session: SessionInfo
    title: str
    episodes: tuple[Episode, ...]
    learned: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class Happening:
    """An event, the memories it is about and those ``after``, and the ``page`` that shows more."""

    event: Event
    text: str
    after: str = ""
    page: str = ""
    id: str = ""


def memory_rows(mind: Mind, **query: Unpack[MemoryQuery]) -> list[MemoryRow]:
    """Memories, each with the words it was learned from."""
    rows, turns = [], dict[tuple[str, int], Turn | None]()
    for memory in mind.memories(**query):
        turn = None
        if memory.sources:
            first = memory.sources[0]
            place = (first.session, first.index)
            if place not in turns:
                turns[place] = next(iter(turns_around(mind, *place, around=0)), None)
            turn = turns[place]
        words = (turn.text[:_SAID_CHARS], turn.role) if turn else ("", "")
        rows.append(MemoryRow(memory, *words))
    return rows


def conversations(mind: Mind, **query: Unpack[SessionQuery]) -> list[Conversation]:
    """Conversations with titles that say what they were about."""
    return [_conversation(mind, session) for session in mind.sessions(**query)]


def conversation_title(mind: Mind, session: str) -> str:
    """What a conversation was about."""
    episodes = mind.episodes(session=session, limit=_EPISODES)
    return _title(mind, session, episodes, _list_learned(mind, episodes))


def happenings(mind: Mind, **query: Unpack[JournalQuery]) -> list[Happening]:
    """Events, each with the words of what it is about."""
    return [_happening(mind, event) for event in mind.events(**query)]


def _conversation(mind: Mind, session: SessionInfo) -> Conversation:
    episodes = mind.episodes(session=session.id, limit=_EPISODES)
    learned = _list_learned(mind, episodes)
    title = _title(mind, session.id, episodes, learned) or session.topic
    return Conversation(session, title, tuple(reversed(episodes)), tuple(learned))


def _list_learned(mind: Mind, episodes: list[Episode]) -> list[Memory]:
    ids = dict.fromkeys(id_ for episode in reversed(episodes) for id_ in episode.memories)
    return [memory for id_ in list(ids)[:_LEARNED] if (memory := _memory(mind, id_))]


def _title(mind: Mind, session: str, episodes: list[Episode], learned: list[Memory]) -> str:
    """The first text that is long enough to say something: a goal, what was learned, or a turn."""
    goals = [episode.goal for episode in reversed(episodes) if episode.goal]
    texts: list[str] = [*goals, *(memory.text for memory in learned)]
    if not any(map(_says_something, texts)):
        turns = mind.turns(session=session, role="user", limit=_LOOKED_AT)
        texts += [turn.text for turn in turns if turn.text.strip()]
    return next(filter(_says_something, texts), next(iter(texts), ""))[:_TITLE_CHARS]


def _says_something(text: str) -> bool:
    return len(text.split()) >= _FEWEST_WORDS or len(_HAN.findall(text)) >= _FEWEST_HAN


def _happening(mind: Mind, event: Event) -> Happening:
    if event.type in ("episode", "session.ended"):
        session = str(event.payload.get("session", event.subject))
        return Happening(event, conversation_title(mind, session), page="timeline", id=session)
    memory = _memory(mind, event.subject)
    if memory is None:
        return Happening(event, "")
    after = _memory(mind, str(event.payload.get("by", "")))
    return Happening(event, memory.text, after.text if after else "", "memories", memory.id)


def _memory(mind: Mind, id_: str) -> Memory | None:
    """None where it is gone, or is something else."""
    try:
        return mind.get(id_) if _ID.fullmatch(id_) else None
    except NotFound:
        return None


READS: tuple[Operation, ...] = (
    Operation("inspector_memories", "GET", "/inspector/memories", "read", memory_rows),
    Operation("inspector_sessions", "GET", "/inspector/sessions", "read", conversations),
    Operation(
        "inspector_title", "GET", "/inspector/sessions/{session}/title", "read", conversation_title
    ),
    Operation("inspector_events", "GET", "/inspector/events", "read", happenings),
)
