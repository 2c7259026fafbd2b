"""The pattern files, read and put together: one file a language, a person's own beside them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, get_args

from mnemic.errors import ConfigError
from mnemic.language.extract.entries import (
    Entry,
    Scope,
    Vocabulary,
    Words,
    check_expressions,
    entry_of,
)
from mnemic.language.extract.values import Values
from mnemic.language.word_file import list_languages, read_packaged

_TABLES = frozenset("language reads words phrases pattern complete rewrite affirm".split())
_ANY_BUT_HAN = r"[^\u4e00-\u9fff]*"


@dataclass(frozen=True, slots=True)
class Replacement:
    """A clause's beginning that is written another way: "been living in" is "I'm living in".

    ``after`` says whom the clause before has to be about: anybody, the user, a pet, or ("own")
    nobody but the user.
    """

    match: re.Pattern[str]
    put: str
    after: str = "any"


@dataclass(frozen=True)
class Language:
    """One file: which texts it reads, its patterns in the order they are tried, its phrases."""

    code: str
    reads: re.Pattern[str]
    vocabulary: Vocabulary
    entries: Mapping[Scope, tuple[Entry, ...]]
    phrases: Mapping[str, str]
    complete: tuple[Replacement, ...]
    rewrite: tuple[Replacement, ...]
    affirm: tuple[Replacement, ...]

    @cached_property
    def prefiltered(self) -> Mapping[Scope, list[tuple[tuple[str, ...], Entry]]]:
        """The patterns with the words they need; the empty word is in every text."""
        return {
            scope: [(entry.needs or ("",), entry) for entry in self.entries.get(scope, ())]
            for scope in get_args(Scope)
        }

    def all_entries(self) -> Iterator[Entry]:
        for entries in self.entries.values():
            yield from entries


class Patterns:
    """The languages together. Phrases of one name are one expression over all of them."""

    def __init__(self, languages: Sequence[Language]) -> None:
        self.languages = tuple(languages)
        self._phrases: dict[str, re.Pattern[str]] = {}

    def phrases(self, name: str) -> re.Pattern[str]:
        pattern = self._phrases.get(name)
        if pattern is None:
            parts = (
                language.vocabulary.expand(language.phrases[name], f"the phrases {name!r}")
                for language in self.languages
                if name in language.phrases
            )
            joined = "|".join(f"(?:{expression})" for expression in parts) or "(?!)"
            pattern = Vocabulary("", {}).compile(joined, f"the phrases {name!r}")
            self._phrases[name] = pattern
        return pattern

    def table(self, *names: str) -> dict[str, str]:
        """What each word of some tables stands for, in all languages."""
        return {
            word: meant
            for language in self.languages
            for name in names
            for word, meant in language.vocabulary.table(name).items()
        }

    @cached_property
    def values(self) -> Values:
        return Values(self.phrases)

    def entries(self, scope: Scope, text: str) -> Iterator[Entry]:
        """The patterns that may match a text, in the order they are tried."""
        folded = text.lower()
        for language in self.languages:
            if not language.reads.match(text):
                continue
            for needs, entry in language.prefiltered[scope]:
                for word in needs:  # plain loops: this runs for each clause and pattern
                    if word in folded:
                        yield entry
                        break


@cache
def load_patterns() -> Patterns:
    """The patterns of the package."""
    codes = list_languages()
    return Patterns([_read_language(read_packaged(code), f"{code}.toml", ()) for code in codes])


def with_own(files: Mapping[str, str]) -> Patterns:
    """The patterns of the package, after those of somebody's own files (name to text).

    A file for a language that is there already may use its words and comes before it; one for
    another language comes after all of them. What is wrong with a file is an error here.
    """
    base = load_patterns().languages
    added = [_read_language(text, name, base) for name, text in files.items()]
    for language in added:
        _check(language)
    codes = {language.code for language in base}
    first = [language for language in added if language.code in codes]
    return Patterns([*first, *base, *(language for language in added if language not in first)])


def _read_language(text: str, file: str, base: Sequence[Language]) -> Language:
    tree = _read_tree(text, file)
    code = tree["language"]
    same = next((language for language in base if language.code == code), None)
    words: Words = tree.get("words", {})
    vocabulary = Vocabulary(file, {**same.vocabulary.words, **words} if same else words)
    entries: dict[Scope, list[Entry]] = {}
    names: set[str] = set()
    for raw in tree.get("pattern", ()):
        entry = entry_of(raw, vocabulary)
        if entry.name in names:
            raise ConfigError(f"{file}: {entry} is there twice", remedy="Rename one of them")
        names.add(entry.name)
        entries.setdefault(entry.scope, []).append(entry)
    reads = tree.get("reads") or (same.reads.pattern if same else _ANY_BUT_HAN)
    return Language(
        code=code,
        reads=vocabulary.compile(reads, "reads"),
        vocabulary=vocabulary,
        entries={scope: tuple(group) for scope, group in entries.items()},
        phrases=tree.get("phrases", {}),
        complete=_read_replacements(tree.get("complete", ()), vocabulary),
        rewrite=_read_replacements(tree.get("rewrite", ()), vocabulary),
        affirm=_read_replacements(tree.get("affirm", ()), vocabulary),
    )


def _read_tree(text: str, file: str) -> dict[str, Any]:
    try:
        tree = tomllib.loads(text)
    except ValueError as error:  # also of numbers with more digits than Python reads
        raise ConfigError(f"{file} is not TOML: {error}", remedy="Correct that place") from error
    if not isinstance(tree.get("language"), str) or not tree["language"]:
        raise ConfigError(f"{file} names no language", remedy='Begin it with: language = "en"')
    unknown = sorted(set(tree) - _TABLES)
    if unknown:
        raise ConfigError(
            f"{file} has an unknown part {unknown[0]!r}",
            remedy=f"The parts are {', '.join(sorted(_TABLES))}",
        )
    for name in ("words", "phrases"):
        if not isinstance(tree.get(name, {}), dict):
            raise ConfigError(f"{file}: {name} is not a table", remedy=f"Write it as [{name}]")
    for name in ("pattern", "complete", "rewrite", "affirm"):
        tables = tree.get(name, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise ConfigError(f"{file}: {name} is not a list", remedy=f"Write each as [[{name}]]")
    return tree


def _read_replacements(
    tables: Sequence[Mapping[str, Any]], vocabulary: Vocabulary
) -> tuple[Replacement, ...]:
    replacements = []
    for table in tables:
        good = {"match", "put"} <= set(table) <= {"match", "put", "after"}
        if not good or not all(isinstance(text, str) for text in table.values()):
            raise ConfigError(
                f"{vocabulary.file}: a replacement is {dict(table)!r:.80}",
                remedy='It has match = "...", put = "..." and perhaps after = "user", "own", "pet"',
            )
        match = vocabulary.compile(table["match"], f"the replacement by {table['put']!r}")
        replacements.append(Replacement(match, table["put"], table.get("after", "any")))
    return tuple(replacements)


def _check(language: Language) -> None:
    for entry in language.all_entries():
        check_expressions(entry)
    for name, phrases in language.phrases.items():
        if not isinstance(phrases, str):
            raise ConfigError(
                f"{language.vocabulary.file}: the phrases {name!r} are {phrases!r:.60}",
                remedy="One text, the alternatives with | between them",
            )
        language.vocabulary.compile(phrases, f"the phrases {name!r}")
