"""Echo detection: text that memory put into a prompt, recognized when it comes back.

Every line that goes into a prompt leaves fingerprints: hashes of three tokens in a row, a Chinese
character or a word being one. A sentence is an echo when unbroken runs of known fingerprints cover
all of it but words that only lead in ("as I remember", "我记得"). A changed number, a negation or
anything added breaks a run or is left over, and the sentence is kept.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from operator import or_
from typing import NamedTuple, TypeVar, cast

from mnemic.language.fence import strip_fenced
from mnemic.language.word_file import WordFile
from mnemic.patterns import defer
from mnemic.rules.speakers import least_trusted
from mnemic.types import Role, Trust

_FILE = WordFile("mnemic.language", "echo.toml")
pattern, words = _FILE.pattern, _FILE.words

Text = TypeVar("Text", bound=str)

SHINGLE = 3  # tokens
_LEAST = 2  # tokens of a line that says something
_OWN_WORDS = 0.5  # of a statement's words are the owner's: it is the owner's statement
_WHOLE = 0.75  # of a line's words in a statement: it holds the line
_REPEATS = 0.6  # of a statement's words in one line: it repeats the line in other words
_LONGEST = 200_000  # characters of a text that are looked at

_DENSE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_QUOTED_LINE = defer(r"(?m)^[ \t]*>.*$")
_ARTICLES = frozenset({"a", "an", "the"})


def fingerprints(text: str) -> dict[int, tuple[int, ...]]:
    """The marks that each sentence of an injected text leaves, by the hash of the whole."""
    marks: dict[int, tuple[int, ...]] = {}
    for start, end in _sentences(text):
        tokens = _tokens(text[start:end])
        if len(tokens) >= _LEAST:
            (mark,) = _windows(tokens, len(tokens))
            marks[mark] = tuple(_windows(tokens, min(SHINGLE, len(tokens))))
    return marks


def word_marks(text: str) -> frozenset[int]:
    """The words of a text that tell something, as hashes."""
    telling = [word for word in _tokens(text) if word not in words("leads_in")]
    return frozenset(_windows(telling, 1))


def sentences(text: str, most: int) -> Iterator[str]:
    """The first sentences of a text."""
    return (text[start:end] for start, end in islice(_sentences(text), most))


class UntrustedLine(NamedTuple):
    """The words of a line that a tool or an outsider said and that went into a prompt."""

    trust: Trust
    words: frozenset[int]


def taint_of(text: str, owned_text: str, lines: Iterable[UntrustedLine]) -> Trust | None:
    """The least trust among the lines that a statement is mostly made of; None where it is not.

    ``own`` is what the owner says in the turns it stands on: a statement in the owner's own words
    is the owner's, whoever else said it before.
    """
    words = word_marks(text)
    if not words:
        return None
    owned = len(words & word_marks(owned_text)) / len(words)
    if owned >= _OWN_WORDS:
        return None
    least = max(owned, _REPEATS)
    trusts = [line.trust for line in lines if _repeats(words, line.words, least)]
    return least_trusted(trusts) if trusts else None


def _repeats(words: frozenset[int], line: frozenset[int], least: float) -> bool:
    """Whether most words of a statement are in a line, or nearly all of a line's in it."""
    shared = len(words & line)
    if shared < _LEAST:
        return shared == len(words) == len(line)
    return shared >= least * len(words) or shared >= _WHOLE * len(line)


def without_echo(text: Text, role: Role, marks: Collection[int]) -> Text:
    """``text`` without fences, and without sentences and clauses that are echoes.

    ``marks`` are those that prompts left. The user's own words stay: who says again what is known
    confirms it. Only what the user quotes is looked at. Of the agent, tools and the host all is.
    """
    plain = strip_fenced(text)
    if not marks:
        return cast(Text, plain)
    quoted = role == "user"
    echoed: list[tuple[int, int]] = []
    for start, end in _quotes(plain) if quoted else _sentences(plain):
        spans = _echoes(plain, start, end, marks)
        echoed += [span for span in spans if not quoted or span == (start, end)]
    return cast(Text, _without(plain, echoed))  # less of a safe text is safe


def _echoes(text: str, start: int, end: int, marks: Collection[int]) -> list[tuple[int, int]]:
    """The sentence, if it is known as a whole or each of its clauses is; else those that are."""
    spans = list(_clauses(text, start, end))
    clauses = [_tokens(text[a:b]) for a, b in spans]
    tokens = [word for clause in clauses for word in clause]
    if not _find_known_runs(tokens, marks):
        return []
    echoed = [_is_known(clause, marks) for clause in clauses]
    leads = [words("leads_in").issuperset(clause) for clause in clauses]
    all_echoed = any(echoed) and all(map(or_, echoed, leads))
    if all_echoed or _is_known(tokens, marks):
        return [(start, end)]
    return [span for span, is_echo in zip(spans, echoed, strict=True) if is_echo]


def _is_known(tokens: Sequence[str], marks: Collection[int]) -> bool:
    """Whether known runs cover everything but what leads in, and no two runs touch."""
    runs = _find_known_runs(tokens, marks)
    if not runs or any(later[0] <= earlier[1] for earlier, later in pairwise(runs)):
        return False  # pieces of two statements put together say something new
    covered = {place for start, end in runs for place in range(start, end)}
    return all(place in covered or word in words("leads_in") for place, word in enumerate(tokens))


def _find_known_runs(tokens: Sequence[str], marks: Collection[int]) -> list[tuple[int, int]]:
    """Unbroken runs of known shingles as stretches of tokens, and short lines known whole."""
    runs: list[tuple[int, int]] = []
    for start, mark in enumerate(_windows(tokens, SHINGLE)):
        if mark not in marks:
            continue
        if runs and start == runs[-1][1] - SHINGLE + 1:
            runs[-1] = (runs[-1][0], start + SHINGLE)
        else:
            runs.append((start, start + SHINGLE))
    for start, mark in enumerate(_windows(tokens, _LEAST)):
        end = start + _LEAST
        if mark in marks and all(end <= run[0] or start >= run[1] for run in runs):
            runs.append((start, end))
    return sorted(runs)


def _windows(tokens: Sequence[str], size: int) -> Iterator[int]:
    for start in range(len(tokens) - size + 1):
        joined = "\x1f".join(tokens[start : start + size])
        digest = hashlib.blake2b(joined.encode("utf-8", "replace"), digest_size=8).digest()
        yield int.from_bytes(digest, "big", signed=True)


def _tokens(text: str) -> list[str]:
    """Words in one form: no case, no articles, one person, no -s at the end."""
    plain = pattern("item").sub("", text)
    folded = unicodedata.normalize("NFKC", plain).casefold().replace("’", "'").replace("用户", "你")
    same = _FILE.tree()["same_person"]
    words = (same.get(word, word) for word in pattern("token").findall(folded))
    return [_singular(word) for word in words if word not in _ARTICLES]


def _singular(word: str) -> str:
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss") and word.isalpha():
        return word[:-1]
    return word


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Sentences with what ends them; the number of a list item belongs to the item."""
    start = place = 0
    while place < min(len(text), _LONGEST):
        match = pattern("sentence").match(text, place)
        place = match.end() if match and match.end() > place else place + 1
        if not pattern("number").fullmatch(text[start:place]):
            yield start, place
            start = place
    if start < place:
        yield start, place


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts of a sentence, each with the comma that ends it and without the space before."""
    for place in [*(match.start() for match in pattern("break").finditer(text, start, end)), end]:
        clause = text[start:place]
        if clause.strip():
            yield place - len(clause.lstrip()), place
        start = place


def _quotes(text: str) -> list[tuple[int, int]]:
    """What the user quotes: lines after a >, and sentences between quotation marks."""
    spans = [match.span() for match in _QUOTED_LINE.finditer(text[:_LONGEST])]
    for match in pattern("quoted").finditer(text[:_LONGEST]):
        if all(match.end() <= start or match.start() >= end for start, end in spans):
            spans.append(match.span())
    return sorted(spans)


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text without these stretches; a line that is gone whole takes its line break along."""
    parts, place, whole_line = [], 0, False
    for start, end in spans:
        whole_line = (whole_line and start == place) or start == 0 or text[start - 1] == "\n"
        parts.append(text[place:start])
        span = text[start:end]
        place = end if whole_line else start + len(span.rstrip("\n"))
    parts.append(text[place:])
    return "".join(parts).strip() if spans else text
