"""Placeholders: lines of a template that say only that nothing is known yet."""

from __future__ import annotations

from mnemic.language.word_file import WordFile

pattern = WordFile("mnemic.language", "placeholders.toml").pattern


def is_placeholder(text: str) -> bool:
    """Whether a line says nothing: "[待学习]", "Name: TBD", "---", a label with nothing behind."""
    line = text.strip()
    return bool(pattern("placeholder").fullmatch(line) or pattern("rule").fullmatch(line))


def says_something(text: str) -> bool:
    """Whether a text has a line beside headings and placeholders."""
    lines = (line.strip() for line in text.split("\n"))
    return any(
        line and not line.startswith("#") and not is_placeholder(line.lstrip("-*+ "))
        for line in lines
    )
