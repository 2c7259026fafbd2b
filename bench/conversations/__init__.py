"""Labelled conversations: what is known of a person after several sessions; README.md has more."""

from bench.conversations.labels import (
    HALVES,
    LANGUAGES,
    MANNERS,
    Conversation,
    Half,
    Label,
    Language,
    Manner,
    Talk,
    conversations,
)
from bench.conversations.scoring import Outcome, score

__all__ = [
    "HALVES",
    "LANGUAGES",
    "MANNERS",
    "Conversation",
    "Half",
    "Label",
    "Language",
    "Manner",
    "Outcome",
    "Talk",
    "conversations",
    "score",
]
