"""The episode of a turn or of an attachment, worked out when it is read: nothing is written to a
record of what happened, and a forgotten episode leaves no link.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from mnemic.ids import made_until
from mnemic.store.contract import Unit
from mnemic.store.rows import EpisodeSpan
from mnemic.types import EMPTY, Attachment, SafeName, Turn

_TICK = timedelta(milliseconds=1)  # an id tells its time no better


def turns_with_episodes(unit: Unit, turns: Sequence[Turn]) -> list[Turn]:
    """Each turn with the first episode that was written of it."""
    spans = _spans(unit, [turn.session for turn in turns])
    return [_with_episode(turn, spans[turn.session]) for turn in turns]


def files_with_episodes(unit: Unit, files: Sequence[Attachment]) -> list[Attachment]:
    """Each file with the first episode of its session that was written after it came."""
    spans = _spans(unit, [file.session for file in files])
    return [_told_later(file, spans[file.session]) for file in files]


def _spans(unit: Unit, sessions: Sequence[SafeName]) -> dict[SafeName, list[EpisodeSpan]]:
    return {session: unit.episodes.spans(session) for session in dict.fromkeys(sessions)}


def _with_episode(turn: Turn, spans: Sequence[EpisodeSpan]) -> Turn:
    episode = next(
        (one.id for one in spans if one.since <= turn.at and turn.index <= one.last_index), EMPTY
    )
    return replace(turn, episode=episode) if episode else turn


def _told_later(file: Attachment, spans: Sequence[EpisodeSpan]) -> Attachment:
    before = file.created_at - _TICK
    episode = next((one.id for one in spans if not made_until(one.id, before)), EMPTY)
    return replace(file, episode=episode) if episode else file
