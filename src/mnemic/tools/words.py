"""One text in both languages."""

from __future__ import annotations

from dataclasses import dataclass

from mnemic.prompts import ByLanguage, Language

__all__ = ["Bilingual", "Language"]


@dataclass(frozen=True, slots=True)
class Bilingual:
    """A text in English and in Chinese."""

    en: str
    zh: str

    def of(self, language: Language, /, **blanks: object) -> str:
        """The text in one language, with its {blanks} filled in."""
        text = ByLanguage(en=self.en, zh=self.zh)[language]
        return text.format(**blanks) if blanks else text
