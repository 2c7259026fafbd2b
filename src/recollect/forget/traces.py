"""What forgotten text leaves in other texts, told by keyed hashes: nothing of it is kept to read.

Three traces: a *word* that nothing else in the memory has; a *run* of three words in a row; and the
*phrase* that was asked for. Words are the terms of the text index, so that every form of a word is
one; runs and phrases are of the words as they stand, a Chinese character being one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from hashlib import blake2b

from recollect.ids import is_id
from recollect.index.segment import index_text
from recollect.store.codec import stored_name
from recollect.store.erasure import Name, NameKind
from recollect.types import Json, SafeName

_DENSE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_TOKEN = re.compile(rf"[{_DENSE}]|[^\W_{_DENSE}]+")
_RUN = 3
_SEGMENT = re.compile(r"(?<=[。！？!?；;\n])| · |(?<=[.])\s|(?<=→)")
_TEXT_FIELDS = frozenset("focus before gone error text summary content task question".split())
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:T|$)")
_LEAST = 2  # characters of a word that can tell anything
# Words that tell nothing, however few texts have them.
_FUNCTION_WORDS = """
    a about after again all also am an and any are as at be because been before below but by can
    could did do does for from had has have he her here him his how i if in into is it its just like
    may me more my no not now of on one only or other our out over please she so some such than that
    the their them then there these they this those to too two under up us very was we were what
    when where which who why will with would yes you your
    我们 你们 他们 她们 它们 自己 这个 那个 这些 那些 这里 那里 这样 那样 什么 怎么 为什么 哪里
    多少 没有 不是 就是 还是 但是 因为 所以 如果 可以 已经 现在 一个 一些 一下 时候 知道 觉得
    应该 需要 可能 非常
"""


def tokens(text: str) -> list[str]:
    """Words in one form: width and case do not count."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def spans(text: str) -> list[tuple[str, int, int]]:
    """The same words, each with its place in the text as it was written."""
    return [
        (token, match.start(), match.end())
        for match in _TOKEN.finditer(text)
        for token in tokens(match[0])
    ]


def _joined(places: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Places without overlaps."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


def words(text: str) -> frozenset[str]:
    """The terms a text is found by; one letter or one Chinese character tells nothing."""
    return frozenset(term for term in index_text(text).split() if len(term) >= _LEAST)


@cache
def function_words() -> frozenset[str]:
    """Terms of words that tell nothing of what was said."""
    return words(_FUNCTION_WORDS)


@dataclass(frozen=True, slots=True)
class Hasher:
    """Keyed hashes, short enough to list."""

    key: bytes

    def __call__(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        return blake2b(data, digest_size=10, key=self.key).hexdigest()

    def runs(self, said: Sequence[str], size: int) -> list[str]:
        """The hash of every run of that many words."""
        return [self("\x1f".join(said[n : n + size])) for n in range(len(said) - size + 1)]


@dataclass(frozen=True)
class Traces:
    """What to look for; ``phrase`` is the number of its words and the hash of them.

    ``names`` are the replacements of names, by the hash of kind and name.
    """

    key: str
    words: frozenset[str] = frozenset()
    runs: frozenset[str] = frozenset()
    phrase: tuple[int, str] | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _hash(self) -> Hasher:
        return Hasher(bytes.fromhex(self.key))

    def mentions(self, text: str) -> bool:
        """Whether the phrase stands in it."""
        if self.phrase is None:
            return False
        size, hashed = self.phrase
        return hashed in self._hash.runs(tokens(text), size)

    def renamed(self, kind: NameKind, text: str) -> SafeName:
        """The replacement of a stored name, empty if it goes; the name itself where it stays."""
        found = self.names.get(self._hash(f"{kind}\x1f{text}"), text) if self.names else text
        return stored_name(found)

    def with_names(self, names: Mapping[Name, str]) -> Traces:
        """The same traces, with what names are replaced by."""
        hashed = {
            self._hash(f"{name.kind}\x1f{text}"): after
            for name, after in names.items()
            for text in {name.text, " ".join(name.text.split())}
        }
        return replace(self, names=hashed)

    def highlights(self, text: str) -> tuple[tuple[int, int], ...]:
        """Where in a text a trace stands, in order: the phrase, the words, the runs."""
        places = spans(text)
        said = [token for token, _, _ in places]
        found: set[tuple[int, int]] = set()
        size, hashed = self.phrase or (_RUN, "")
        for n, run in enumerate(self._hash.runs(said, size)):
            if run == hashed:
                found.add((places[n][1], places[n + size - 1][2]))
        if not found:
            for n, known in enumerate(self._known(said)):
                if known:
                    found.add((places[n][1], places[n + _RUN - 1][2]))
            found |= {(a, b) for token, a, b in places if self.has_word(token)}
            folded = text.casefold()  # a Chinese word is more than one token
            for word in words(text) if len(folded) == len(text) else ():
                if not word.isascii() and self._hash(word) in self.words:
                    found |= {match.span() for match in re.finditer(re.escape(word), folded)}
        return _joined(found)

    def touches(self, text: str) -> bool:
        """Whether anything of it may be in a text that was derived from it."""
        return self.says(text) or any(self._known(tokens(text)))

    def quotes(self, text: str) -> bool:
        """Whether a text says it: a word of its own, the phrase, or most of the words."""
        return self.has_word(text) or self.repeats(text)

    def repeats(self, text: str) -> bool:
        """Whether a person's own text says it: the phrase, or most of the words in a row."""
        if self.mentions(text):
            return True
        known = self._known(tokens(text))
        covered = {place for n, found in enumerate(known) if found for place in range(n, n + _RUN)}
        return 2 * len(covered) > len(known) + _RUN - 1 and bool(covered)

    def has_word(self, text: str) -> bool:
        """Whether it has a word that nothing else had."""
        return any(self._hash(word) in self.words for word in words(text)) if self.words else False

    def _known(self, said: Sequence[str]) -> list[bool]:
        return [hashed in self.runs for hashed in self._hash.runs(said, _RUN)] if self.runs else []

    def says(self, text: str) -> bool:
        """Whether it has a word or the phrase that only what is forgotten had."""
        return self.has_word(text) or self.mentions(text)

    def without(self, text: str, found: Callable[[str], bool]) -> str:
        """A derived text without the sentences in which a trace is found."""
        parts = [part for part in _SEGMENT.split(text) if part and part.strip()]
        kept = [part for part in parts if not found(part)]
        if len(kept) == len(parts):
            return text
        return (" · " if " · " in text else " ").join(part.strip() for part in kept)

    def without_lines(self, text: str) -> str:
        """A text of lines without those that say it."""
        return "".join(line for line in text.splitlines(keepends=True) if not self.quotes(line))

    def cleaned(self, value: Json, name: str = "", *, all_text: bool = False) -> Json:
        """A JSON value in which every text that says it is empty; names and times stay."""
        if isinstance(value, str):
            text = all_text or _is_text(name, value)
            return "" if text and self.quotes(value) else value
        if isinstance(value, list):
            return [self.cleaned(item, name, all_text=all_text) for item in value]
        if isinstance(value, dict):
            return {key: self.cleaned(item, key, all_text=all_text) for key, item in value.items()}
        return value

    def dump(self) -> dict[str, Json]:
        return {
            "key": self.key,
            "words": [*sorted(self.words)],
            "runs": [*sorted(self.runs)],
            "phrase": None if self.phrase is None else list(self.phrase),
            "names": dict(self.names),
        }


def _is_text(name: str, value: str) -> bool:
    """One word is a name or a state, unless it stands where texts do."""
    if name in _TEXT_FIELDS:
        return True
    return len(tokens(value)) > 1 and not is_id(value) and not _MOMENT.match(value)


def load(told: Json) -> Traces:
    """Traces out of a journal."""
    if not isinstance(told, dict):
        return Traces("00")
    phrase = told.get("phrase")
    pair = (int(str(phrase[0])), str(phrase[1])) if isinstance(phrase, list) else None
    names = told.get("names")
    renamed = {name: str(text) for name, text in names.items()} if isinstance(names, dict) else {}
    return Traces(str(told["key"]), _texts(told["words"]), _texts(told["runs"]), pair, renamed)


def _texts(told: Json) -> frozenset[str]:
    return frozenset(map(str, told)) if isinstance(told, list) else frozenset()


def traces_of(
    key: bytes, texts: Iterable[str], owed: Iterable[str], phrase: str | None = None
) -> Traces:
    """The traces of texts; ``owed`` are the words that nothing else has."""
    hashed = Hasher(key)
    said = tokens(phrase or "")
    return Traces(
        key.hex(),
        frozenset(map(hashed, owed)),
        frozenset(run for text in texts for run in hashed.runs(tokens(text), _RUN)),
        (len(said), hashed("\x1f".join(said))) if said else None,
    )
