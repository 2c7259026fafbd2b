"""Labelled conversations: what is known of a person after several sessions; README.md has more."""

from bench.conversations.labels import (
    HALVES,
    LANGUAGES,
    Conversation,
    Half,
    Label,
    Language,
    Talk,
    conversations,
)
from bench.conversations.scoring import Outcome, score

__all__ = [
    "HALVES",
    "LANGUAGES",
    "Conversation",
    "Half",
    "Label",
    "Language",
    "Outcome",
    "Talk",
    "conversations",
    "score",
]
