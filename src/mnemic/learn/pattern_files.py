"""Somebody's own patterns for the rules: read from disk, checked, and put before those built in."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mnemic.errors import ConfigError
from mnemic.settings import Settings

if TYPE_CHECKING:
    from mnemic.language.extract.languages import Language, Patterns


import re
from collections.abc import Callable, Iterator
from time import thread_time
from typing import TypeAlias

from mnemic.language.extract.entries import Entry
from mnemic.language.extract.examples import examples_of
from mnemic.language.extract.sentences import LONGEST_SENTENCE

LIMIT = 0.05  # seconds on one clause; the slowest of the package takes a fifth of it
_GROWTH = 1.25
_NO_MATCH = "\0"
_ALTERNATIVE = re.compile(r"(?<!\\)\|")
# What stands for a letter in an expression, and such a letter; then what is only syntax.
_SAMPLES = (
    (r"\[\^[^\]]*\]", "x"),
    (r"\[\\?(.)[^\]]*\]", r"\1"),
    (r"\\d", "1"),
    (r"\\s", " "),
    (r"\\[wWDS]|(?<!\\)\.", "x"),
    (r"\{\d*,?\d*\}|\(\?(?:P?<\w+>|[a-zA-Z-]*:|<?[=!]|P=)|\\[bBAZ]|(?<!\\)[*+?()^$]", ""),
    (r"\\(.)", r"\1"),
)
Match: TypeAlias = Callable[[str], re.Match[str] | None]


def check_speed(entry: Entry) -> None:
    """Refuse a pattern that is slow on a text made out of its examples."""
    for example in examples_of(entry):
        _try(entry.matcher.fullmatch, example.message, f"{entry.vocabulary.file}: {entry}")


def check_phrases_speed(language: Language) -> None:
    """Refuse phrases and replacements, which have no examples, that are slow on a text made out of
    what they themselves look for.
    """
    vocabulary = language.vocabulary
    tried = {
        f"the phrases {name!r}": vocabulary.compile(phrases, f"the phrases {name!r}")
        for name, phrases in language.phrases.items()
    }
    for replacement in (*language.complete, *language.rewrite):
        tried[f"the replacement by {replacement.put!r}"] = replacement.match
    for name, pattern in tried.items():
        for text in dict.fromkeys(map(_example_of, _ALTERNATIVE.split(pattern.pattern))):
            for match in (pattern.search, pattern.fullmatch):
                _try(match, text, f"{vocabulary.file}: {name}")


def _example_of(expression: str) -> str:
    """A text that a part of an expression is about: its letters, and one of each class."""
    for syntax, letters in _SAMPLES:
        expression = re.sub(syntax, letters, expression)
    return expression


def _try(match: Match, example: str, name: str) -> None:
    """Refuse an expression that is slow on an example of which a piece is repeated."""
    for head, repeat, tail in _pieces(example):
        seconds, length = slowest(match, head, repeat, tail)
        if seconds > LIMIT:
            raise ConfigError(
                f"{name} takes {seconds:.2f} s on {length} characters that repeat {repeat!r}",
                remedy="Bound its repeats ({0,4} for *), and let no repeat hold another",
            )


def slowest(match: Match, head: str, repeat: str, tail: str) -> tuple[float, int]:
    """The time of the longest probe that was tried, and its length."""
    length, seconds = 16.0, 0.0
    while length <= LONGEST_SENTENCE and seconds <= LIMIT:
        text = head + repeat * int(length / len(repeat)) + tail + _NO_MATCH
        begun = thread_time()
        match(text)
        seconds = thread_time() - begun
        length *= _GROWTH
    return seconds, int(length / _GROWTH)


def _pieces(text: str) -> Iterator[tuple[str, str, str]]:
    """Every letter, every two letters and every word of a text, with what stands around it."""
    seen = set()
    for size in (1, 2):
        for start in range(len(text) - size + 1):
            letters = text[start : start + size]
            if letters not in seen:
                seen.add(letters)
                yield text[:start], letters, text[start + size :]
    for word in re.finditer(r"\w+\s", text):
        yield text[: word.start()], word.group(), text[word.end() :]


def own_patterns(settings: Settings) -> Patterns | None:
    """The patterns with those of ``extraction.patterns``; None where none are set.

    A file that changed is read again. Whatever is wrong with one is a ConfigError.
    """
    if not settings.extraction.patterns:
        return None
    place = Path(settings.extraction.patterns).expanduser()
    files = sorted(place.glob("*.toml")) if place.is_dir() else [place]
    if not files:
        raise ConfigError(
            f"The folder {place} of extraction.patterns holds no .toml file",
            remedy="Put one there, or name another folder; docs/patterns.md says how",
        )
    return _load_checked(tuple((str(file), *_version(file)) for file in files))


def _version(file: Path) -> tuple[int, int]:
    try:
        status = file.stat()
    except OSError as error:
        raise _unreadable(file, error) from error
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=4)
def _load_checked(versions: tuple[tuple[str, int, int], ...]) -> Patterns:
    from mnemic.language.extract.examples import check_examples
    from mnemic.language.extract.languages import with_own

    texts: dict[str, str] = {}
    for name, *_ in versions:
        try:
            texts[name] = Path(name).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise _unreadable(Path(name), error) from error
    patterns = with_own(texts)
    for language in patterns.languages:
        if language.vocabulary.file in texts:
            check_phrases_speed(language)
            for entry in language.all_entries():
                check_speed(entry)
                check_examples(entry, patterns)
    return patterns


def _unreadable(file: Path, error: OSError | UnicodeDecodeError) -> ConfigError:
    reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
    return ConfigError(
        f"The pattern file {file} cannot be read: {reason}",
        remedy="Correct extraction.patterns, or create the file; docs/patterns.md says how",
    )
