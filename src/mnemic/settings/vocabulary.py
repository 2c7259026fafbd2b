"""The words of a document for what the engine calls otherwise.

The engine keeps one list of kinds, priorities and origins. The preset of a document translates, in
its table ``[about.words]``: its words are taken at every interface, in any case of their letters,
and shown there. A word that several kinds share stands for the first of them where something is
written, and for all of them where something is looked for. What its kind does not tell of a memory
(the category *debug*, the scope *project*) is noted in its metadata, under the document's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

Notes = Mapping[str, Any]  # the metadata of a memory
SCOPE = "scope"
_NONE: Mapping[str, Any] = MappingProxyType({})


class WordFilter(NamedTuple):
    """Memories that a word stands for: of these kinds, unless they note another of its words, and
    whatever notes the word itself; ``notes`` are the words that may be noted under ``name``.
    """

    name: str
    word: str
    kinds: tuple[str, ...]
    notes: tuple[str, ...] = ()
    also: tuple[WordFilter, ...] = ()  # others that are as good


class Words(NamedTuple):
    """One list of a document: each word with the engine's words it stands for, the usual first."""

    name: str
    table: Mapping[str, tuple[str, ...]] = _NONE
    notes: tuple[str, ...] = ()  # those that a kind alone does not tell

    def __bool__(self) -> bool:
        return bool(self.table)

    def find(self, word: str) -> str | None:
        """The word of the document that is meant, or None."""
        if word in self.table:
            return word
        plain = fold(word)
        return next((entry for entry in self.table if fold(entry) == plain), None)

    def show(self, term: str) -> str:
        """The document's word for one of the engine's; where it has none, the engine's own."""
        return next((word for word, meant in self.table.items() if term in meant), term)

    def word_of(self, term: str, notes: Notes) -> str:
        """The word for a memory: what is noted with it, or what its kind says."""
        noted = notes.get(self.name)
        return noted if isinstance(noted, str) and noted in self.notes else self.show(term)

    def filter(self, word: str) -> WordFilter:
        """What a word of the document stands for."""
        default = tuple(term for term in self.table[word] if self.show(term) == word)
        return WordFilter(self.name, word, default, self.notes)


class PresetVocabulary(NamedTuple):
    """The words of one document; empty lists where it has none of its own.

    ``in_project`` are the scopes that give way to another for what belongs to a project.
    ``arguments`` are a tool's parameters by the names that the document gives them, ``labels`` the
    types of records in each language, ``headings`` the parts of a prompt that it names itself.
    """

    kinds: Words = Words("kind")
    scopes: Words = Words(SCOPE)
    priorities: Words = Words("priority")
    origins: Words = Words("source")
    in_project: Mapping[str, str] = _NONE
    arguments: Mapping[str, Mapping[str, str]] = _NONE
    labels: Mapping[str, Mapping[str, str]] = _NONE
    headings: Mapping[str, str] = _NONE

    def kind_words(self, kinds: Iterable[str]) -> tuple[str, ...]:
        """Every word for a kind: the document's, then the engine's."""
        return tuple(dict.fromkeys((*self.kinds.table, *kinds)))

    def find_kinds(self, word: object, kinds: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
        """The word as it is written, and the kinds it stands for; None where nobody knows it.

        The engine's own spelling of a kind means that kind alone, where the document has not taken
        the word for itself.
        """
        if not isinstance(word, str):  # whatever a caller passed
            return None
        if word in kinds and word not in self.kinds.table:
            return word, (word,)
        meant = self.kinds.find(word)
        if meant is not None:
            return meant, self.kinds.table[meant]
        plain = fold(word)
        kind = next((kind for kind in kinds if fold(kind) == plain), None)
        return None if kind is None else (kind, (kind,))

    def choose(self, kinds: Sequence[str], notes: Notes) -> str:
        """The one of the kinds that a word stands for: the first of the scope that is noted."""
        given = notes.get(SCOPE)
        scope = self.scopes.find(given) if isinstance(given, str) else None
        fitting = self.scopes.table[scope] if scope else ()
        return next((kind for kind in kinds if kind in fitting), kinds[0])

    def label(self, type_: str, language: str) -> str:
        """How a type of record is called."""
        return self.labels.get(type_, {}).get(language, type_)

    def make_notes(self, word: str, kind: str, project: bool, notes: Notes) -> dict[str, Any]:
        """The metadata of a memory given as ``word``: what its ``kind`` does not tell is noted."""
        after, listed = dict(notes), self.kinds
        before = after.get(listed.name)
        if before in listed.notes:
            del after[listed.name]
            if word == kind and kind in listed.table[before]:
                word = before
        if word in listed.notes and listed.show(kind) != word:
            after[listed.name] = word
        return {**after, **self._scope(kind, project, after.pop(SCOPE, None))}

    def _scope(self, kind: str, project: bool, given: object) -> dict[str, Any]:
        scope = self.scopes.find(given) if isinstance(given, str) else None
        if given is not None and scope is None:
            return {SCOPE: given}  # the host's own
        usual = self.scopes.show(kind)
        if scope is None:
            scope = self.in_project.get(usual, usual) if project else usual
        return {SCOPE: scope} if self.scopes and scope != usual else {}


def fold(word: str) -> str:
    """One form for the case of a word, and for what stands between its parts."""
    return "_".join(word.casefold().replace("-", " ").replace("_", " ").split())


@cache
def vocabulary_of(preset: str) -> PresetVocabulary:
    """The words of a preset's document."""
    from mnemic.settings.layers import read_preset

    words: Mapping[str, Any] = read_preset(preset)[0].get("words", {})
    if not words:
        return PresetVocabulary()
    return PresetVocabulary(
        kinds=_list(words, "kinds", words.get("kind", "kind")),
        scopes=_list(words, "scopes", SCOPE, noted=True),
        priorities=_list(words, "priorities", "priority"),
        origins=_list(words, "sources", "source"),
        in_project=words.get("in_project", {}),
        arguments=words.get("arguments", {}),
        labels=words.get("labels", {}),
        headings=words.get("headings", {}),
    )


def _list(words: Mapping[str, Any], key: str, name: str, *, noted: bool = False) -> Words:
    """A list; any of its words may be ``noted``, or those that share their kinds with others."""
    given: Mapping[str, str | list[str]] = words.get(key, {})
    table = {w: (meant,) if isinstance(meant, str) else tuple(meant) for w, meant in given.items()}
    plain = Words(name, table)
    notes = [word for word in table if noted or any(plain.show(k) != word for k in table[word])]
    return Words(name, table, tuple(notes))
