"""Terms of a query with those of the other irregular forms of its words: buy, bought.

Texts are indexed as they are written, so the forms are joined at the query. The search counts each
text's best form of a word, once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from mnemic.index.segment import STOP_WEIGHT, WORD_WEIGHT, index_text, words_of
from mnemic.late import data_of
from mnemic.rules.bm25 import TermSet, term_set
from mnemic.store.rows import QueryTerm

_OTHER_WORD = "*"  # marks a form that is more often a word of its own
_LIGHT = "~"  # marks a word that says little
_FEW = 3  # telling words of a query in which such a word matters

Forms = Mapping[str, tuple[str, ...]]


def with_forms(terms: Sequence[QueryTerm]) -> list[QueryTerm]:
    """The terms, then those of the other forms of each, which weigh the same."""
    forms, light = _forms()
    few = sum(term.weight >= WORD_WEIGHT for term in terms) <= _FEW
    present = {term.text for term in terms}
    added: dict[str, QueryTerm] = {}
    for term in terms:
        if term.weight > STOP_WEIGHT:
            others = forms.get(term.text) or (light.get(term.text) if few else None)
            for form in others or ():
                if form not in present:
                    added.setdefault(form, QueryTerm(form, term.weight, term.text))
    return [*terms, *added.values()]


@cache
def _forms() -> tuple[Forms, Forms]:
    """The terms of the other forms of each term, of telling words and of light ones."""
    text = data_of("mnemic.index").joinpath("irregular_forms.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return (
        _read([line.split() for line in lines if not line.startswith(_LIGHT)]),
        _read([line.split()[1:] for line in lines if line.startswith(_LIGHT)]),
    )


def _read(lines: Sequence[Sequence[str]]) -> Forms:
    forms: dict[str, dict[str, None]] = {}
    for words in lines:
        stems = dict.fromkeys(index_text(word.removesuffix(_OTHER_WORD)) for word in words)
        for word in words:
            if not word.endswith(_OTHER_WORD):
                others = forms.setdefault(index_text(word), {})
                others.update((stem, None) for stem in stems if stem != index_text(word))
    return {stem: tuple(others) for stem, others in forms.items()}


# --- terms that tell a time or a number: what a text needs to answer "when" or "how many" ---------


def _terms(words: list[str]) -> list[str]:
    """The index terms of words; of a Chinese word only the whole, not its characters."""
    return [index_text(word).split()[-1] for word in words]


@cache
def times() -> TermSet:
    """Terms that tell a time."""
    return term_set([*_terms(words_of("times")), *map(str, range(1950, 2061))])


@cache
def numbers() -> TermSet:
    """Terms that tell a number."""
    return term_set([*_terms(words_of("numbers")), *map(str, range(1000))])
