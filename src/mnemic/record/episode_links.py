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
    spans, linked = _spans(unit, [turn.session for turn in turns]), []
    for turn in turns:
        covering = (
            span.id
            for span in spans[turn.session]
            if span.since <= turn.at and turn.index <= span.last_index
        )
        episode = next(covering, EMPTY)
        linked.append(replace(turn, episode=episode) if episode else turn)
    return linked


def files_with_episodes(unit: Unit, files: Sequence[Attachment]) -> list[Attachment]:
    """Each file with the first episode of its session that was written after it came."""
    spans, linked = _spans(unit, [file.session for file in files]), []
    for file in files:
        before = file.created_at - _TICK
        later = (span.id for span in spans[file.session] if not made_until(span.id, before))
        episode = next(later, EMPTY)
        linked.append(replace(file, episode=episode) if episode else file)
    return linked


def _spans(unit: Unit, sessions: Sequence[SafeName]) -> dict[SafeName, list[EpisodeSpan]]:
    return {session: unit.episodes.spans(session) for session in dict.fromkeys(sessions)}
