"""Digest of a batch of turns in one line, by rule: the requests, and the tools used."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mnemic.language.lines import label
from mnemic.language.truncation import cut
from mnemic.types import Turn

_END = re.compile(r"[。！？!?\n]|[.;；]\s")
_SPACE = re.compile(r"\s+")
GLUE = " · "  # between the sentences of a digest


def digest(turns: Sequence[Turn], limit: int) -> str:
    """At most ``limit`` characters: the user's first sentences in order, then the tools."""
    sentences = [_first_sentence(turn.text) for turn in turns if turn.role == "user"]
    if not any(sentences):
        sentences = [_first_sentence(turn.text) for turn in turns]
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


def _first_sentence(text: str) -> str:
    looked_at = text[:2000].strip()
    end = _END.search(looked_at)
    return _SPACE.sub(" ", looked_at[: end.end()] if end else looked_at).strip()
