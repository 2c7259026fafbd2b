"""Whose words a user's message is made of, and what it ends, by the reader."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cache

from mnemic.errors import ModelRefused
from mnemic.language.voice.stretches import Stretch, VoiceJudge, layout, stretches
from mnemic.late import dataclass
from mnemic.providers.reader.inputs import TurnText, ending_passage
from mnemic.providers.reader.model import TrainedReader
from mnemic.providers.reader.notes import VoicedMessage
from mnemic.store.contract import Unit
from mnemic.types import Memory

_LIKE = 0.25  # cosine of what may be about the same
_WORTH = 0.2  # how likely half of a sentence is worth keeping
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


@dataclass(frozen=True, slots=True)
class EndingReader:
    """Judges what a text ends by the notes that the reader takes of it beside what is known."""

    reader: TrainedReader

    def nearest(self, unit: Unit, text: str, now: datetime, limit: int) -> Sequence[Memory]:
        number = unit.vectors.list_embedders().get(self.reader.name)
        if number is None:
            return ()
        try:
            vector = self.reader.embed([text])[0]
        except ModelRefused:
            return ()
        near = unit.memories.nearest(
            number, vector.tobytes(), status="active", now=now, limit=limit
        )
        return [memory for memory, cosine in near if cosine >= _LIKE]

    def __call__(self, facts: Collection[str], text: str) -> Mapping[str, float]:
        try:
            # Each alone: what 8-bit numbers are rounded to depends on all that is read at once.
            notes = [self.reader.note([ending_passage(fact, text)])[0] for fact in facts]
        except ModelRefused:  # a damaged file, of which the embedding tells
            return dict.fromkeys(facts, 0.0)
        return {fact: note.ends(len(text)) for fact, note in zip(facts, notes, strict=True)}

    def are_worth(self, texts: Collection[str], least: float = _WORTH) -> Collection[str]:
        try:
            notes = [self.reader.note([TurnText(text, "user")])[0] for text in texts]
        except ModelRefused:
            return ()
        likely = {text: note.keep(0, len(text)) for text, note in zip(texts, notes, strict=True)}
        return {text for text, keep in likely.items() if keep is not None and keep >= least}
