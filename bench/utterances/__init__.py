"""Labelled utterances in Chinese, English and both at once, and the rule that scores a learner."""

from __future__ import annotations

from bench.utterances.labels import (
    LANGUAGES,
    POSITIVES,
    PREDICATES,
    TRAPS,
    Label,
    Language,
    Message,
    Utterance,
    utterances,
)
from bench.utterances.scoring import Figures, Outcome, figures, says, score

__all__ = [
    "LANGUAGES",
    "POSITIVES",
    "PREDICATES",
    "TRAPS",
    "Figures",
    "Label",
    "Language",
    "Message",
    "Outcome",
    "Utterance",
    "figures",
    "says",
    "score",
    "utterances",
]
