"""Whose words a user's message is made of, by the reader: what words alone leave in doubt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from mnemic.errors import ModelRefused
from mnemic.language.voice.stretches import Stretch, VoiceJudge, layout, stretches
from mnemic.providers.reader.notes import VoicedMessage

Listener = Callable[[str], VoicedMessage]


def judge_by(listen: Listener) -> VoiceJudge:
    """A judge that reads each message once; it is kept no longer than a job needs it."""

    @cache
    def judge(text: str) -> Sequence[tuple[Stretch, float]]:
        places = stretches(text)
        if not places:
            return ()
        try:
            likely = listen(text).judge(places, layout(text, places))
        except ModelRefused:  # a damaged file, of which the embedding tells
            return ()
        return list(zip(places, map(float, likely), strict=True))

    return judge
