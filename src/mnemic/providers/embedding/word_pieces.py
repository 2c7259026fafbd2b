"""The words of a text cut into the pieces of a Llama-2 vocabulary.

The pieces are those of the reference tokenizer, several times faster and without loading it: no
piece holds a space behind a letter, or a Han character beside another, so words and Han characters
are cut on their own and remembered. Only a word of more than ``_LONGEST`` characters, which the
reference would cut as one, can differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path

from mnemic.errors import ModelRefused

SPACE = "▁"
_BYTES = 3  # the pieces of the 256 bytes start here ...
_WORDS = 259  # ... and those of letters here; before them stand marks that text cannot make
_LONGEST = 48
_MEMO_LIMIT = 50_000
_NEVER = 1 << 30
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_GAP = f"{SPACE}{{0,16}}"  # no piece has more spaces, and a million of them must not be one word
_RUN = re.compile(f"{_GAP}[{_HAN}\\n]|{_GAP}[^{SPACE}{_HAN}\\n]{{1,{_LONGEST}}}|{SPACE}{{1,16}}")


class WordPieces(dict[str, tuple[int, ...]]):
    """The numbers of a word's pieces, remembered. Safe to use from several threads."""

    def __init__(self, tokenizer: Path) -> None:
        super().__init__()
        self.size, self._ranks = _ranked(tokenizer, tokenizer.stat().st_mtime_ns)
        self._space = self._ranks.get(SPACE)

    def of(self, text: str) -> Iterator[int]:
        """The numbers of the pieces of a text."""
        runs: list[str] = _RUN.findall(SPACE + text.replace(" ", SPACE))
        return chain.from_iterable(map(self.__getitem__, runs))

    def of_word(self, word: str) -> list[int]:
        """The pieces of a word that stands alone, without the bare space before a character."""
        cached = self.get(SPACE + word)  # a run that was met is one run by itself, too
        pieces = self.of(word) if cached is None else cached
        return [piece for piece in pieces if piece != self._space]

    def __missing__(self, run: str) -> tuple[int, ...]:
        if len(self) >= _MEMO_LIMIT:
            self.clear()
        self[run] = pieces = self._cut(run)
        return pieces

    def _cut(self, run: str) -> tuple[int, ...]:
        parts = list(run)
        rank = self._ranks.get
        ranks = [rank(first + second, _NEVER) for first, second in pairwise(parts)]
        while ranks:
            best = min(ranks)
            if best == _NEVER:
                break
            at = ranks.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            del ranks[at]
            if at:
                ranks[at - 1] = rank(parts[at - 1] + parts[at], _NEVER)
            if at < len(ranks):
                ranks[at] = rank(parts[at] + parts[at + 1], _NEVER)
        return tuple(number for part in parts for number in self._numbers(part))

    def _numbers(self, part: str) -> Iterator[int]:
        rank = self._ranks.get(part)
        if rank is None:  # a character of its own that the vocabulary does not have
            yield from (_BYTES + byte for byte in part.encode("utf-8", "replace"))
        else:
            yield rank % self.size


@lru_cache(maxsize=2)
def _ranked(tokenizer: Path, _modified: int) -> tuple[int, Mapping[str, int]]:
    """The size of a vocabulary and the rank of each piece: read once, for every mind of a process.

    A piece's number is also its rank: what was merged first in training is merged first. Only runs
    of spaces come last.
    """
    vocabulary = _read_vocabulary(tokenizer)
    size = len(vocabulary)
    ranks = {
        piece: number + size if piece.strip(SPACE) == "" and len(piece) > 1 else number
        for piece, number in vocabulary.items()
        if number >= _WORDS
    }
    return size, ranks


def _read_vocabulary(tokenizer: Path) -> dict[str, int]:
    text = tokenizer.read_text(encoding="utf-8")
    # Only this object is parsed: the merges behind it are the larger part and say nothing new.
    at = text.find('"vocab"')
    try:
        vocabulary, _ = json.JSONDecoder().raw_decode(text, text.index("{", at))
    except ValueError as error:
        raise ModelRefused(
            f"{tokenizer.name} has no vocabulary", remedy="Install wordllama again"
        ) from error
    result: dict[str, int] = vocabulary
    return result
