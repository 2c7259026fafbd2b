"""Traces of removed text in other texts, found by keyed hashes that cannot be read back.

Three traces: a *word* that no other record has; a *run* of three words; and the *phrase* of the
request. Words are terms of the text index, so all forms of a word count as one; runs and phrases
are of words as written, a Chinese character being one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from hashlib import blake2b
from typing import Any

from mnemic.ids import is_id
from mnemic.index.segment import index_text, words_of
from mnemic.store.codec import as_name
from mnemic.store.rows import Name, NameKind
from mnemic.types import Json, SafeName

_DENSE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_TOKEN = re.compile(rf"[{_DENSE}]|[^\W_{_DENSE}]+")
_RUN = 3
_SEGMENT = re.compile(r"(?<=[。！？!?；;\n])| · |(?<=[.])\s|(?<=→)")
_TEXT_FIELDS = frozenset("focus before gone error text summary content task question".split())
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:T|$)")
_MIN_CHARS = 2  # shorter words carry no content


def tokens(text: str) -> list[str]:
    """The words of a text, normalized in width and case."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def spans(text: str) -> list[tuple[str, int, int]]:
    """The same words, each with its place in the original text."""
    return [
        (token, match.start(), match.end())
        for match in _TOKEN.finditer(text)
        for token in tokens(match[0])
    ]


def _merge_places(places: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Places with overlaps merged."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def words(text: str) -> frozenset[str]:
    """The index terms of a text that carry content."""
    return frozenset(term for term in index_text(text).split() if len(term) >= _MIN_CHARS)


@cache
def function_words() -> frozenset[str]:
    """Index terms of words without content."""
    return words(" ".join(words_of("function")))


@dataclass(frozen=True, slots=True)
class Hasher:
    """Keyed hashes, short enough to store by the thousand."""

    key: bytes

    def __call__(self, text: str) -> str:
        encoded = text.encode("utf-8", "surrogatepass")
        return blake2b(encoded, digest_size=10, key=self.key).hexdigest()

    def runs(self, terms: Sequence[str], size: int) -> list[str]:
        """The hash of every run of that many words."""
        return [self("\x1f".join(terms[n : n + size])) for n in range(len(terms) - size + 1)]


@dataclass(frozen=True)
class Traces:
    """Hashes to look for: of names, and of the ``phrase`` with the number of its words."""

    key: str
    words: frozenset[str] = frozenset()
    runs: frozenset[str] = frozenset()
    phrase: tuple[int, str] | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _hash(self) -> Hasher:
        return Hasher(bytes.fromhex(self.key))

    def mentions(self, text: str) -> bool:
        """Whether a text contains the phrase."""
        if self.phrase is None:
            return False
        size, hashed = self.phrase
        return hashed in self._hash.runs(tokens(text), size)

    def replace_name(self, kind: NameKind, text: str) -> SafeName:
        """The replacement of a stored name, empty if it is removed; else the name itself."""
        replacement = self.names.get(self._hash(f"{kind}\x1f{text}"), text) if self.names else text
        return as_name(replacement)

    def with_names(self, names: Mapping[Name, str]) -> Traces:
        """The same traces with the replacements of names."""
        hashed = {
            self._hash(f"{name.kind}\x1f{text}"): after
            for name, after in names.items()
            for text in {name.text, " ".join(name.text.split())}
        }
        return replace(self, names=hashed)

    def highlights(self, text: str) -> tuple[tuple[int, int], ...]:
        """The places of the phrase in a text, in order; without it those of words and runs."""
        located = spans(text)
        terms = [token for token, _, _ in located]
        marked: set[tuple[int, int]] = set()
        size, hashed = self.phrase or (_RUN, "")
        for n, run in enumerate(self._hash.runs(terms, size)):
            if run == hashed:
                marked.add((located[n][1], located[n + size - 1][2]))
        if not marked:
            for n, is_match in enumerate(self._match_runs(terms)):
                if is_match:
                    marked.add((located[n][1], located[n + _RUN - 1][2]))
            marked |= {(a, b) for token, a, b in located if self.has_word(token)}
            folded = text.casefold()  # a Chinese word is more than one token
            for word in words(text) if len(folded) == len(text) else ():
                if not word.isascii() and self._hash(word) in self.words:
                    marked |= {match.span() for match in re.finditer(re.escape(word), folded)}
        return _merge_places(marked)

    def touches(self, text: str) -> bool:
        """Whether a derived text may contain anything of it."""
        return self.says(text) or any(self._match_runs(tokens(text)))

    def quotes(self, text: str) -> bool:
        """Whether a text quotes it: a unique word, the phrase, or most of its words."""
        return self.has_word(text) or self.repeats(text)

    def repeats(self, text: str) -> bool:
        """Whether a person's own text repeats it: the phrase, or most of its words in runs."""
        if self.mentions(text):
            return True
        matches = self._match_runs(tokens(text))
        covered = {
            place for n, is_match in enumerate(matches) if is_match for place in range(n, n + _RUN)
        }
        return 2 * len(covered) > len(matches) + _RUN - 1 and bool(covered)

    def has_word(self, text: str) -> bool:
        """Whether a text has a word that only removed records had."""
        return any(self._hash(word) in self.words for word in words(text)) if self.words else False

    def _match_runs(self, terms: Sequence[str]) -> list[bool]:
        return [hashed in self.runs for hashed in self._hash.runs(terms, _RUN)] if self.runs else []

    def says(self, text: str) -> bool:
        """Whether a text has a unique word or the phrase."""
        return self.has_word(text) or self.mentions(text)

    def without(self, text: str, is_trace: Callable[[str], bool]) -> str:
        """A derived text without the sentences that have a trace."""
        sentences = [sentence for sentence in _SEGMENT.split(text) if sentence and sentence.strip()]
        rest = [sentence for sentence in sentences if not is_trace(sentence)]
        if len(rest) == len(sentences):
            return text
        return (" · " if " · " in text else " ").join(sentence.strip() for sentence in rest)

    def without_lines(self, text: str) -> str:
        """A text without the lines that quote it."""
        return "".join(line for line in text.splitlines(keepends=True) if not self.quotes(line))

    def clean(self, value: Json, name: str = "", *, all_text: bool = False) -> Json:
        """A JSON value with every quoting text emptied; names and times stay."""
        if isinstance(value, str):
            text = all_text or _is_text(name, value)
            return "" if text and self.quotes(value) else value
        if isinstance(value, list):
            return [self.clean(entry, name, all_text=all_text) for entry in value]
        if isinstance(value, dict):
            return {key: self.clean(entry, key, all_text=all_text) for key, entry in value.items()}
        return value


def _is_text(name: str, value: str) -> bool:
    """Whether a value is text: a single word is a name or state, except in text fields."""
    if name in _TEXT_FIELDS:
        return True
    return len(tokens(value)) > 1 and not is_id(value) and not _MOMENT.match(value)


def load(value: Any) -> Traces:
    """Traces out of JSON; an error of Python for what is none."""
    phrase = value.get("phrase")
    return Traces(
        str(value["key"]),
        frozenset(map(str, value["words"])),
        frozenset(map(str, value["runs"])),
        (int(phrase[0]), str(phrase[1])) if phrase else None,
        {str(name): str(text) for name, text in value.get("names", {}).items()},
    )


def traces_of(
    key: bytes, texts: Iterable[str], unique_words: Iterable[str], phrase: str | None = None
) -> Traces:
    """The traces of texts; ``unique_words`` are those no other record has."""
    hashed = Hasher(key)
    phrase_tokens = tokens(phrase or "")
    return Traces(
        key.hex(),
        frozenset(map(hashed, unique_words)),
        frozenset(run for text in texts for run in hashed.runs(tokens(text), _RUN)),
        (len(phrase_tokens), hashed("\x1f".join(phrase_tokens))) if phrase_tokens else None,
    )
