"""Text to index terms and queries to weighted terms, for English, Chinese and mixed chat.

Words are folded (NFKC, case, Latin accents) and stemmed. Scripts written without spaces give every
character and every overlapping pair. An identifier, version, file name or path gives its whole form
and its parts. The index keeps every term; a query weighs them, and stop words weigh almost nothing
instead of being dropped, so that a question made only of common words still finds something.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from operator import add
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

import Stemmer

from mnemic.late import NDArray, np
from mnemic.patterns import defer
from mnemic.rules import bm25
from mnemic.store.rows import QueryTerm
from mnemic.types import SafeText


def words_of(section: str) -> list[str]:
    return _lists()[section]


@cache
def _lists() -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    current: list[str] = []
    for line in Path(__file__).with_name("words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            current = lists.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            current += line.split()
    return lists


ENGLISH = frozenset(words_of("english"))
ASKING = frozenset(words_of("asking"))
ASKING_PAIRS = frozenset(words_of("asking pairs"))
CHINESE = frozenset(words_of("chinese"))

Text = TypeVar("Text", bound=str)
WORD_WEIGHT = 1.0
CHARACTER_WEIGHT = 0.5
ASKING_WEIGHT = 0.3
STOP_WEIGHT = 0.02
_MEMO_LIMIT = 200_000
_MEMO_CHUNK = 40
_PUNCTUATION = ".,;:!?()[]{}\"'`*"
MARKS = ",.?!"  # a chunk has the same terms with and without one of these at its end
_ENDS = tuple(f"{mark} " for mark in MARKS)

# Scripts without spaces between words: Thai to Khmer, kana, Han, Hangul.
_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\U00020000-\U0003ffff"
)
_DENSE_CHARACTER = defer(f"[{_DENSE}]")
_LETTERS = rf"[^\W_{_DENSE}]+"
_TOKEN = defer(
    rf"(?P<dense>[{_DENSE}]+)"
    rf"|(?P<word>{_LETTERS}(?:[-_.'/\\:@&+~]{{1,3}}{_LETTERS})*(?:\+\+|\#)?)"
    r"|(?P<sign>[\u2600-\u27bf\U0001f300-\U0001faff])"
)
_PART = defer(rf"[^\W\d_{_DENSE}]+|\d+")
_CAMEL = defer(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ENDING = defer(r"'(?:s|re|ve|ll|d|m)?$", re.IGNORECASE)
_SOFT_JOIN = defer(r"(?<=[^\W\d_])[-_](?=[^\W\d_])")
_THOUSANDS = defer(r"(?<=\d),(?=\d{3}(?!\d))")
# Characters that NFKC would change, punctuation apart: most text has none and skips the slow call.
_COMPATIBLE = defer(
    "[\u00aa\u00b2\u00b3\u00b9\u00ba\u00bc-\u00be\u0300-\u036f\u2070-\u209c\u2100-\u214f"
    "\u2150-\u218b\u2460-\u24ff\u3200-\u33ff\uf900-\ufaff\ufb00-\ufb06\uff10-\uff19"
    "\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc]"
)
_MARKS = defer("[\u0300-\u036f]")

_stemmer = Stemmer.Stemmer("english", 0)
_stem = _stemmer.stemWord
_LIGHT = dict.fromkeys((*map(_stem, ASKING), *ASKING_PAIRS), ASKING_WEIGHT)
_LIGHT |= dict.fromkeys(map(_stem, ENGLISH), STOP_WEIGHT)


class IndexTerms(NamedTuple):
    """The terms of a text, in order, repeats kept: with white space between them, and packed."""

    terms: SafeText
    packed: bytes


class _TermCache(dict[str, str]):
    """A cache of the terms of runs without white space, where those are likely to come again."""

    def __missing__(self, chunk: str) -> str:
        terms = _terms_text(chunk)
        if len(chunk) <= _MEMO_CHUNK and (chunk.isascii() or not _DENSE_CHARACTER.search(chunk)):
            if len(self) >= _MEMO_LIMIT:
                self.clear()
            self[chunk] = terms
        return terms


def chunk_terms(chunks: list[str]) -> list[str]:
    """The terms of each of some runs without white space, with spaces between them."""
    stems: list[str] = _stemmer.stemWords(chunks)
    return [
        stem if chunk.isalpha() and chunk.islower() and chunk.isascii() else _terms_text(chunk)
        for chunk, stem in zip(chunks, stems, strict=True)
    ]


def _terms_text(chunk: str) -> str:
    word = chunk.strip(_PUNCTUATION)
    # Most chunks are one plain word, which needs no closer look.
    if word.isascii() and word.isalpha() and (word.islower() or word[1:].islower()):
        stem: str = _stem(word.lower())
        return stem
    return " ".join(_chunk_terms(chunk))


_chunks = _TermCache()
_terms_of_chunk = _chunks.__getitem__


def forget_words() -> None:
    """Clear the cache: forgotten words must not linger in memory."""
    _chunks.clear()


def index_terms(text: SafeText) -> IndexTerms:
    terms = index_text(text)
    return IndexTerms(terms, bm25.pack(terms))


def index_text(text: Text) -> Text:
    """The terms of one text, in order, repeats kept; safe where the text is."""
    folded = _fold(text)
    for end in _ENDS:  # the same word with and without one is looked up as one
        folded = folded.replace(end, " ")
    return cast(Text, " ".join(map(_terms_of_chunk, folded.split())))


def query_terms(text: str) -> list[QueryTerm]:
    """The distinct terms of a query with their weights, in order."""
    return [QueryTerm(term, term_weight(term)) for term in dict.fromkeys(index_text(text).split())]


def has_dense_script(text: str) -> bool:
    """Whether a text has characters of a script without spaces, such as Chinese."""
    return not text.isascii() and bool(_DENSE_CHARACTER.search(text))


def term_weight(term: str) -> float:
    """Stop words weigh least, then question words, then single characters, then the rest."""
    if len(term) < 3 and CHINESE.issuperset(term):
        return STOP_WEIGHT
    if len(term) == 1 and _DENSE_CHARACTER.match(term):
        return _LIGHT.get(term, CHARACTER_WEIGHT)
    return _LIGHT.get(term, WORD_WEIGHT)


def weights_of(numbers: NDArray[np.uint32]) -> NDArray[np.float64]:
    light, weights = _light_terms()
    places = np.minimum(np.searchsorted(light, numbers), len(light) - 1)
    return np.where(light[places] == numbers, weights[places], WORD_WEIGHT)


@cache
def _light_terms() -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """The numbers of all terms that weigh less than a word, in order, and their weights."""
    characters = _DENSE_CHARACTER.findall("".join(map(chr, range(0x40000))))
    pairs = (left + right for left in CHINESE for right in CHINESE)
    few = {bm25.number_of(term): term_weight(term) for term in (*pairs, *CHINESE, *_LIGHT)}
    packed = np.frombuffer(bm25.pack(" ".join(characters)), np.uint32)
    numbers = np.concatenate((np.fromiter(few, np.uint32), packed))
    numbers, first = np.unique(numbers, return_index=True)
    weights = np.full(len(packed) + len(few), CHARACTER_WEIGHT)
    weights[: len(few)] = list(few.values())
    return numbers, weights[first]


def _fold(text: str) -> str:
    """One form for compatible characters and apostrophes."""
    if text.isascii():
        return text
    if _COMPATIBLE.search(text):
        text = unicodedata.normalize("NFKC", text)
    return text.replace("\u2019", "'")


def _chunk_terms(chunk: str) -> list[str]:
    """The terms of a run without white space."""
    terms: list[str] = []
    for match in _TOKEN.finditer(_THOUSANDS.sub("", chunk) if "," in chunk else chunk):
        run = match.group()
        if match.lastgroup == "dense":
            characters = [*run]
            terms += characters
            terms += map(add, characters, characters[1:])
        elif match.lastgroup == "word":
            terms += _word_terms(run)
        else:
            terms.append(run)
    return terms


def _word_terms(word: str) -> list[str]:
    """A plain word gives its stem; a compound gives its whole form and the stems of its parts."""
    if not word.isascii():
        word = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFKD", word)))
    word = _ENDING.sub("", word) if "'" in word else word
    bare = word.replace("'", "")
    parts = [token for segment in _CAMEL.split(bare) for token in _PART.findall(segment)]
    compound = _SOFT_JOIN.sub("", bare).lower()
    if len(parts) < 2 and compound.isalnum():
        return [_stem(compound)] if compound else []
    return [compound, *(_stem(token.lower()) for token in parts)]
