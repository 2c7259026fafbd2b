"""Seed phrases of wallets: twelve to twenty-four short words that say nothing together.

The words come from a published list of 2048, which is not shipped. A run of exactly 12, 15, 18,
21 or 24 words of three to eight lower-case letters, none of them one of the words that hold English
sentences together, is hardly ever anything else, least of all where it is called a phrase.
"""

from __future__ import annotations

from collections.abc import Iterator

from mnemic.language.secrets.data_files import load_words, pattern

Span = tuple[str, int, int]
HINTS = ("seed", "mnemonic", "phrase", "wallet", "recover", "restore", " words")
HAN_HINTS = (*HINTS, "助记", "助記", "短语", "单词", "钱包")
_INTRODUCES = ("phrase", "words", "seed", "mnemonic", "recovery", "backup", "wallet")
COUNTS = (12, 15, 18, 21, 24)
SPACES = frozenset(count - 1 for count in COUNTS)
_SHORTEST, _LONGEST = 47, 300  # characters of a phrase that is a text


def may_hold_phrase(text: str, folded: str) -> bool:
    """Whether a text speaks of seed phrases, or may be nothing but one."""
    plain = text.isascii()
    if plain and len(text) < _SHORTEST:
        return False
    for hint in HINTS if plain else HAN_HINTS:  # a generator would cost more than all of it
        if hint in folded:
            return True
    return len(text) < _LONGEST and text.count(" ") in SPACES and text.islower()


def find_phrases(text: str) -> Iterator[Span]:
    """Runs of words that have the form of a seed phrase."""
    for match in pattern("run").finditer(text):
        yield from _phrase(text, *match.span())
    for match in pattern("han_run").finditer(text):
        yield "seed_phrase", *match.span("value")


def _phrase(text: str, start: int, end: int) -> Iterator[Span]:
    """The longest stretch of a run without words of sentences, if it has the right length."""
    words = [match.span() for match in pattern("letters").finditer(text, start, end)]
    stretch: list[tuple[int, int]] = []
    for place in [*words, None]:
        if place is not None and text[slice(*place)] not in load_words("sentence words"):
            stretch.append(place)
            continue
        # Words of the sentence before it ("my seed phrase is …") may belong to the run.
        while len(stretch) >= COUNTS[0] and text[slice(*stretch[0])] in _INTRODUCES:
            stretch.pop(0)
        words_in = {text[slice(*place)] for place in stretch}
        plurals = sum(word[-1] == "s" != word[-2] for word in words_in)  # which the list has few of
        varied = len(words_in) * 4 >= len(stretch) * 3 and plurals * 3 < len(stretch)
        if varied and len(stretch) in COUNTS:
            from_start = stretch[0] == words[0]  # with the number of the first
            yield "seed_phrase", start if from_start else stretch[0][0], stretch[-1][1]
        stretch = []
