"""What models are told: one markdown file for each purpose and language."""

from __future__ import annotations

from importlib import resources
from string import Template
from typing import Literal

Language = Literal["en", "zh"]


def prompt(name: str, language: Language) -> str:
    """The text of a prompt, with its ``$blanks`` still in it."""
    file = resources.files("mnemic.prompts").joinpath(language, f"{name}.md")
    return file.read_text(encoding="utf-8")


def filled(name: str, language: Language, **blanks: object) -> str:
    """The text of a prompt with every blank filled in."""
    return Template(prompt(name, language)).substitute(blanks)
