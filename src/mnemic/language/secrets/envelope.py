"""Credentials as they lie in the store: an envelope for the text, and what is shown of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, cast

from mnemic.types import Memory, constant, join_key

Text = TypeVar("Text", bound=str)
ENVELOPE = "sealed:1:"
MASK = "••••••••"


def is_sealed(content: str) -> bool:
    """Whether a memory's content is an envelope that only its key opens."""
    return content.startswith(ENVELOPE)


def drop_envelope(content: Text) -> Text:
    """What of a content may be indexed or embedded: nothing of an envelope."""
    return cast(Text, "") if is_sealed(content) else content


def mask(memory: Memory) -> Memory:
    """The memory as people and prompts see it: a credential shows its label, never its secret."""
    if not is_sealed(memory.text):
        return memory
    named = filter(None, (memory.subject, memory.predicate))
    label = join_key(*named, by=" ")
    return replace(memory, text=join_key(label, constant(MASK), by=": "))
