"""Somebody's own patterns for the rules: read from disk, checked, and put before those built in."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import ConfigError
from recollect.settings import Settings

if TYPE_CHECKING:
    from recollect.language.extract.languages import Patterns


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
    from recollect.language.extract.examples import check_examples
    from recollect.language.extract.languages import with_own
    from recollect.learn.pattern_probes import check_speed

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
