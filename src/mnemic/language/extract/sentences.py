"""Prose out of a message, and sentences and clauses out of prose, in linear time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from mnemic.language.code import split_code
from mnemic.language.truncation import two_ends
from mnemic.language.word_file import WordFile
from mnemic.late import dataclass

pattern = WordFile("mnemic.language.extract", "sentences.toml").pattern

LONGEST = 4_000  # characters read at each end of a long message: nobody tells more of himself
LONGEST_SENTENCE = 400
GAP = "\ufffc"  # stands for what was taken out; no pattern matches it

Phrases = Callable[[str], re.Pattern[str]]  # those of all languages for one sign, by its name

# Contractions as many write them, without the apostrophe.
_BARE = {
    word.replace("'", ""): word
    for word in "i'm i've they're you're don't doesn't didn't isn't wasn't aren't haven't hasn't"
    " can't couldn't shouldn't wouldn't he's she's that's what's".split()
}
HAN = re.compile(r"[\u4e00-\u9fff]")
_BARE_WORD = re.compile(rf"\b(?:{'|'.join(_BARE)})(?![\w'@-])", re.I)
_PUNCTUATION = (
    r"[，；;]\s*|,\s+|,(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff]),|\s+[-–—]{1,2}\s+|——|\s*[()（）]\s*"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its clauses; both without white space around them."""

    text: str
    clauses: tuple[str, ...]


class Places:
    """Where stretches of sentences lie in their message, by letters and digits alone: quotation
    marks and apostrophes are not as they were written.
    """

    def __init__(self, text: str) -> None:
        self._at = [place for place, mark in enumerate(text) if mark.isalnum()]
        self._letters = _letters_of(text)

    def find(self, stretch: str) -> tuple[int, int] | None:
        letters = _letters_of(stretch)
        start = self._letters.find(letters)
        if start < 0 or not letters:
            return None
        return self._at[start], self._at[start + len(letters) - 1] + 1


def _letters_of(text: str) -> str:
    return "".join(mark.lower()[0] for mark in text if mark.isalnum())


class Splitter:
    """Cuts messages by marks, and by the words with which the languages begin a clause."""

    def __init__(self, phrases: Phrases) -> None:
        self._phrases = phrases
        self._breaks = re.compile(f"{_PUNCTUATION}|{phrases('clause_breaks').pattern}", re.I)

    def split_sentences(self, text: str) -> Iterator[Sentence]:
        """What somebody wrote himself: no code, links or long quotes."""
        text = f"\n{GAP}\n".join(two_ends(text, LONGEST))
        text = text.replace("’", "'") if "‘" not in text else text
        text = _BARE_WORD.sub(_restore_apostrophe, text)
        text = pattern("inline").sub(lambda m: m[1], text)
        prose = pattern("quoted").sub(_unquote, pattern("url").sub(GAP, split_code(text)[0]))
        for line in prose.splitlines():
            bullet = pattern("bullet").match(line)
            for sentence in self._cut(line[bullet.end() :] if bullet else line):
                if 1 < len(sentence) <= LONGEST_SENTENCE:
                    yield Sentence(sentence, self.split_clauses(sentence))

    def split_clauses(self, sentence: str) -> tuple[str, ...]:
        clauses = (text.strip(" .。!！?？…~～、\t:：") for text in self._breaks.split(sentence))
        return tuple(filter(None, clauses))

    def _cut(self, line: str) -> Iterator[str]:
        pending = ""
        for stretch in pattern("split").split(line):
            pending = f"{pending} {stretch}" if pending else stretch
            short = len(pending) < LONGEST_SENTENCE
            if short and self._phrases("abbreviated").search(pending[-8:]):
                continue
            yield pending.strip()
            pending = ""
        if pending:
            yield pending.strip()


def is_brief(text: str, han: int = 6, words: int = 4) -> bool:
    """Whether a text is too short to be understood alone; both scripts may have a share of it."""
    others = sum(word[0].isalnum() for word in HAN.sub(" ", text).split())
    return len(HAN.findall(text)) * words + others * han < han * words


def _restore_apostrophe(match: re.Match[str]) -> str:
    word = match.group()
    full = _BARE[word.lower()]
    return full[0].upper() + full[1:] if word[0].isupper() else full


def _unquote(match: re.Match[str]) -> str:
    """A quoted name or word stands for itself; what somebody said is taken out."""
    inner = next(filter(None, match.groups()), "")
    words = inner.split()
    short = len(words) <= 3 and len(inner) <= (24 if inner.isascii() else 8)
    return (
        inner
        if short and not pattern("spoken").search(inner) and inner[-1:] not in "。.!?！？"
        else GAP
    )
