"""A quick estimate of how many tokens a text costs a model."""

from __future__ import annotations

_ASCII_PER_TOKEN = 4.0
_TOKENS_PER_WIDE = 0.75


def estimate_tokens(text: str) -> int:
    """About four ASCII characters a token, and three tokens for four Chinese characters."""
    if text.isascii():
        return -int(-len(text) // _ASCII_PER_TOKEN)
    # A Chinese character is three bytes of UTF-8: the surplus over one byte each counts them.
    wide = (len(text.encode("utf-8", "surrogatepass")) - len(text)) / 2
    return int(wide * _TOKENS_PER_WIDE + (len(text) - wide) / _ASCII_PER_TOKEN + 0.999)
