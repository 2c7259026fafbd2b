"""Long texts in passages of a few sentences, each short enough to have one meaning."""

from __future__ import annotations

from mnemic.language.tokens import estimate_tokens
from mnemic.patterns import defer

TOKENS = 48
MOST = 200
_BREAK = defer(r"(?<=[.!?。！？；;])\s+|(?<=[。！？；])|\n+")
_SLACK = 1.75
_READ = 100_000  # characters: far more than ``MOST`` passages hold


def passages(text: str) -> list[str]:
    """Sentences packed into passages of about ``TOKENS`` tokens; at most ``MOST`` of them."""
    text = text[:_READ]
    if estimate_tokens(text) <= TOKENS * _SLACK:
        return [text] if text.strip() else []
    packed: list[str] = []
    current, size = "", 0
    for sentence in _sentences(text):
        tokens = estimate_tokens(sentence)
        if current and size + tokens > TOKENS:
            packed.append(current)
            if len(packed) == MOST:
                return packed
            current, size = sentence, tokens
        else:
            current = f"{current} {sentence}" if current else sentence
            size += tokens
    return [*packed, current] if current else packed


def _sentences(text: str) -> list[str]:
    """Sentences, those without an end cut to size."""
    sentences: list[str] = []
    for sentence in _BREAK.split(text):
        if not sentence or not sentence.strip():
            continue
        tokens = estimate_tokens(sentence)
        if tokens <= TOKENS * _SLACK:
            sentences.append(sentence)
            continue
        step = max(1, len(sentence) * TOKENS // tokens)
        sentences += [sentence[start : start + step] for start in range(0, len(sentence), step)]
    return sentences
