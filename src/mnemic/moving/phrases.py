"""What an export says of its own, in any language that has a file in ``words/``: headings, dates,
numbers, names of things. The English text is the key of what another language says for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from importlib import resources
from typing import Any

from mnemic.late import dataclass
from mnemic.prompts import ENGLISH, Language


@cache
def words_of(language: Language) -> Mapping[str, Any]:
    """The words of a language; a part that it does not have is the English one."""
    words: dict[str, Any] = {}
    for name in (ENGLISH, language):
        file = resources.files("mnemic.moving").joinpath("words", f"{name}.json")
        if file.is_file():
            words |= json.loads(file.read_text(encoding="utf-8"))
    return words


@dataclass(frozen=True, slots=True)
class Phrases:
    """The words of one language."""

    language: Language

    def __call__(self, english: str, **parts: str) -> str:
        """A phrase with its parts filled in."""
        text = self._words["texts"].get(english, english)
        return str(text.format(**parts) if parts else text)

    @property
    def code(self) -> str:
        """The language as HTML names it."""
        return str(self._words["code"])

    @property
    def _words(self) -> Mapping[str, Any]:
        return words_of(self.language)

    # --- numbers and dates ------------------------------------------------------------------------

    def count(self, count: int, thing: str) -> str:
        forms = self._words["counted"][thing]
        return f"{count:,} {forms[0] if count == 1 else forms[-1]}"

    def size(self, count: int) -> str:
        amount = float(count)
        for unit in ("KB", "MB", "GB"):
            amount /= 1000
            if amount < 1000 or unit == "GB":
                break
        return self.count(count, "byte") if count < 1000 else f"{amount:.1f} {unit}"

    def date(self, form: str, day: date) -> str:
        """A day in a form such as "day", "weekday" or "month"."""
        words = self._words
        month, weekday = words["months"][day.month - 1], words["weekdays"][day.weekday()]
        return str(words["dates"][form].format(day, month=month, weekday=weekday))

    def moment(self, moment: datetime) -> str:
        return f"{self.date('before hour', moment)}{moment:%H:%M}"

    # --- names of things --------------------------------------------------------------------------

    def kind(self, kind: str) -> str:
        """The heading of a kind; a kind of the user's own is its own name."""
        return self(self._words["kinds"].get(kind, kind))

    def trust(self, trust: str) -> str:
        """Who says it, if not the owner."""
        return self(self._words["trusts"].get(trust, ""))
