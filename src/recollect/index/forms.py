"""Terms of a query with those of the other irregular forms of its words: buy, bought.

Texts are indexed as they are written, so the forms are joined at the query. The search counts each
text's best form of a word, once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from recollect.index.segment import STOP_WEIGHT, index_text
from recollect.store.rows import QueryTerm

_OTHER_WORD = "*"  # marks a form that is more often a word of its own


def with_forms(terms: Sequence[QueryTerm]) -> list[QueryTerm]:
    """The terms, then those of the other forms of each, which weigh the same."""
    forms = _forms()
    own = {term.text for term in terms}
    added: dict[str, QueryTerm] = {}
    for term in terms:
        if term.weight > STOP_WEIGHT:
            for form in forms.get(term.text, ()):
                if form not in own:
                    added.setdefault(form, QueryTerm(form, term.weight, term.text))
    return [*terms, *added.values()]


@cache
def _forms() -> Mapping[str, tuple[str, ...]]:
    """The terms of the other forms of each term."""
    listed = files(__package__).joinpath("irregular_forms.txt").read_text(encoding="utf-8")
    forms: dict[str, dict[str, None]] = {}
    for line in listed.splitlines():
        words = [] if line.startswith("#") else line.split()
        stems = dict.fromkeys(index_text(word.removesuffix(_OTHER_WORD)) for word in words)
        for word in words:
            if not word.endswith(_OTHER_WORD):
                stem = index_text(word)
                forms.setdefault(stem, {}).update((other, None) for other in stems if other != stem)
    return {stem: tuple(others) for stem, others in forms.items()}
