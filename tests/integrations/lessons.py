"""What the first session teaches, and what must reach the model in the second."""

from __future__ import annotations

from typing import NamedTuple

import mnemic


class Lesson(NamedTuple):
    """One fact: told, asked for, and the word that gives it away."""

    told: str
    asked: str
    word: str


LESSONS = (
    Lesson("Remember that I am allergic to peanuts.", "What am I allergic to, again?", "peanuts"),
    Lesson("记住，我对花生过敏。", "我对什么过敏来着？", "花生"),
)


def learned(mind: mnemic.Mind) -> list[str]:
    """What is known once the background work is done."""
    mind.drain()
    return [memory.text for memory in mind.memories()]
