"""How many tokens a text costs a model, without the model's tokenizer.

``count_tokens`` is calibrated against five tokenizers (o200k, cl100k, Qwen, DeepSeek and an older
Claude) and aims at the middle one of them; `tests/rules/test_tokens.py` holds it to their counts.
Where the host has a tokenizer of its own, that one is given as a ``TokenCounter`` instead.
"""

from __future__ import annotations

from collections.abc import Callable

TokenCounter = Callable[[str], int]

_ASCII_PER_TOKEN = 4.0
_TOKENS_PER_WIDE = 0.75

# In hundredths of a token, what one ASCII character adds: words begin with a space and most are one
# token, digits nearly stand alone, capitals and signs start new tokens in code.
_CONTROL = 100
_WEIGHTS = {
    "abcdefghijklmnopqrstuvwxyz": 10,
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ": 29,
    "0123456789": 80,
    " ": 62,
    "\n\r\t": 79,
    ",.'": 62,
    "-_/*=#`": 46,
    '!"$%&()+:;<>?@[\\]^{|}~': 70,
}
WEIGHTS_OF_BYTES = bytes(
    next((weight for letters, weight in _WEIGHTS.items() if chr(code) in letters), _CONTROL)
    for code in range(256)
)
# Of what is not ASCII, each byte of UTF-8 beyond the first: 0.4 for Cyrillic, 0.8 for Chinese.
_WIDE_BYTE = 40


def count_tokens(text: str) -> int:
    """About the number of tokens; more text never costs less, and two texts at most their sum."""
    if text.isascii():
        plain, wide = text.encode("ascii"), 0
    else:
        plain = text.encode("ascii", "ignore")
        wide = len(text.encode("utf-8", "surrogatepass")) - len(text)
    # Indentation is cheap: up to four spaces in a row cost as much as one.
    plain = plain.replace(b"  ", b" ").replace(b"  ", b" ")
    # One pass in C: each byte becomes its weight.
    return -(-(sum(plain.translate(WEIGHTS_OF_BYTES)) + _WIDE_BYTE * wide) // 100)


def estimate_tokens(text: str) -> int:
    """The plain measure passages are cut by: four ASCII characters, or 4/3 Chinese ones, each."""
    if text.isascii():
        return -int(-len(text) // _ASCII_PER_TOKEN)
    # A Chinese character is three bytes of UTF-8: the surplus over one byte each counts them.
    wide = (len(text.encode("utf-8", "surrogatepass")) - len(text)) / 2
    return int(wide * _TOKENS_PER_WIDE + (len(text) - wide) / _ASCII_PER_TOKEN + 0.999)
