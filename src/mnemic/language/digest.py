"""Digest of a batch of turns in one line, by rule: the requests, and the tools used."""

from __future__ import annotations

from collections.abc import Sequence

from mnemic.language.actions import first_sentence
from mnemic.language.lines import label
from mnemic.language.truncation import cut
from mnemic.types import Turn

GLUE = " · "  # between the sentences of a digest


def digest(turns: Sequence[Turn], limit: int) -> str:
    """At most ``limit`` characters: the user's first sentences in order, then the tools."""
    sentences = [first_sentence(turn.text) for turn in turns if turn.role == "user"]
    if not any(sentences):
        sentences = [first_sentence(turn.text) for turn in turns]
    tools = dict.fromkeys(label(call.name) for turn in turns for call in turn.tool_calls)
    tail = f" [{', '.join(tools)}]" if tools else ""
    line = ""
    for sentence in dict.fromkeys(filter(None, sentences)):
        longer = f"{line}{GLUE}{sentence}" if line else sentence
        if len(longer) + len(tail) > limit:
            break
        line = longer
    if not line and any(sentences):
        line = cut(next(filter(None, sentences)), max(1, limit - len(tail)))
    return cut((line + tail).strip(), limit)
