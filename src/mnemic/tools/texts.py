"""Texts of tools, prompts and resources, by key and language."""

from __future__ import annotations

import tomllib
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any

from mnemic.prompts import ENGLISH, Language

__all__ = ["ENGLISH", "Language", "read_texts", "text"]


@cache
def read_texts() -> dict[str, Any]:
    """All of texts.toml."""
    return tomllib.loads(Path(__file__).with_name("texts.toml").read_text("utf-8"))


def text(key: str, language: Language, /, **blanks: object) -> str:
    """The text of a dotted key in one language, else in English, with its {blanks} filled in.

    >>> text("memory.edited", "en", id="m1")
    'm1 is the new version.'
    """
    entry = reduce(getitem, key.split("."), read_texts())
    phrase: str = entry.get(language, entry[ENGLISH])
    return phrase.format(**blanks) if blanks else phrase
