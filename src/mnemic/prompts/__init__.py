"""What models are told: one markdown file for each purpose and language.

A language is the data there is for it. What it has no text for is said in English.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from string import Template
from typing import TypeVar

from mnemic.late import data_of

Language = str  # its code, as "en"
ENGLISH = "en"
T = TypeVar("T")


class ByLanguage(dict[Language, T]):
    """One thing in each language that has it; in any other the English one."""

    def __missing__(self, language: Language) -> T:
        return self[ENGLISH]


@cache
def prompt(name: str, language: Language) -> str:
    """The text of a prompt, with its ``$blanks`` still in it."""
    folder = data_of("mnemic.prompts")
    file = folder.joinpath(language, f"{name}.md")
    if not file.is_file():
        file = folder.joinpath(ENGLISH, f"{name}.md")
    return file.read_text(encoding="utf-8")


@cache
def words(section: str, language: Language) -> Mapping[str, str]:
    """A table of words.toml: the short texts around what memory shows."""
    table: ByLanguage[Mapping[str, str]] = ByLanguage(_read_words()[section])
    return table[language]


@cache
def _read_words() -> dict[str, dict[Language, dict[str, str]]]:
    return tomllib.loads(data_of("mnemic.prompts").joinpath("words.toml").read_text("utf-8"))


def fill_prompt(name: str, language: Language, **blanks: object) -> str:
    """The text of a prompt with every blank filled in."""
    return Template(prompt(name, language)).substitute(blanks)
