"""Somebody's own patterns for the rules: read from disk, checked, and put before those built in."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mnemic.errors import ConfigError
from mnemic.settings import Settings

if TYPE_CHECKING:
    from mnemic.language.extract.languages import Patterns


import re
from collections.abc import Iterator
from time import thread_time

from mnemic.language.extract.entries import Entry
from mnemic.language.extract.examples import examples_of
from mnemic.language.extract.sentences import LONGEST_SENTENCE

LIMIT = 0.05  # seconds on one clause; the slowest of the package takes a fifth of it
_GROWTH = 1.25
_NO_MATCH = "\0"


def check_speed(entry: Entry) -> None:
    """Refuse a pattern that is slow on a text made out of its examples."""
    for example in examples_of(entry):
        for head, piece, tail in _pieces(example.message):
            seconds, length = slowest(entry.matcher, head, piece, tail)
            if seconds > LIMIT:
                raise ConfigError(
                    f"{entry.vocabulary.file}: {entry} takes {seconds:.2f} s on {length} characters"
                    f" that repeat {piece!r}",
                    remedy="Bound its repeats ({0,4} for *), and let no repeat hold another",
                )


def slowest(pattern: re.Pattern[str], head: str, piece: str, tail: str) -> tuple[float, int]:
    """The time of the longest probe that was tried, and its length."""
    length, seconds = 16.0, 0.0
    while length <= LONGEST_SENTENCE and seconds <= LIMIT:
        text = head + piece * int(length / len(piece)) + tail + _NO_MATCH
        begun = thread_time()
        pattern.fullmatch(text)
        seconds = thread_time() - begun
        length *= _GROWTH
    return seconds, int(length / _GROWTH)


def _pieces(text: str) -> Iterator[tuple[str, str, str]]:
    """Every letter, every two letters and every word of a text, with what stands around it."""
    seen = set()
    for size in (1, 2):
        for start in range(len(text) - size + 1):
            piece = text[start : start + size]
            if piece not in seen:
                seen.add(piece)
                yield text[:start], piece, text[start + size :]
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
    return _checked(tuple((str(file), *_version(file)) for file in files))


def _version(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError as error:
        raise _unreadable(file, error) from error
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=4)
def _checked(versions: tuple[tuple[str, int, int], ...]) -> Patterns:
    from mnemic.language.extract.examples import check_examples
    from mnemic.language.extract.languages import with_own
    from mnemic.learn.pattern_files import check_speed

    texts: dict[str, str] = {}
    for name, *_ in versions:
        try:
            texts[name] = Path(name).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise _unreadable(Path(name), error) from error
    patterns = with_own(texts)
    for language in patterns.languages:
        if language.vocabulary.file in texts:
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
