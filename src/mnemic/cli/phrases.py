"""Everything a person reads, in their language.

The code has the English, which is also the key of its Chinese in ``zh/``: ``output.json`` for what
the commands print, ``help.json`` for their help, ``terms.json`` for single words of the engine such
as kinds and states, ``engine.json`` for its sentences: errors, remedies, findings, reasons. The
engine speaks English only; a sentence of it is recognized by the template it was made from.
Nothing is read where English is spoken.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Literal, NamedTuple

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
_TERMS = ("kind", "section", "status", "trust", "what")  # fields with a word of the engine
_KEYS = {"key": r"\S*?"}  # fields without a blank
_SEVERAL = {"memory": "memories", "try": "tries"}
_COUNTS = re.compile(r"[0-9,]+ [a-z ]+(?:, [0-9,]+ [a-z ]+)*")
_FIELD = re.compile(r"\{(\w+)(?::[^}]*)?\}")


def choose_language(setting: str, locale: Mapping[str, str]) -> Language:
    """The language of the settings, else that of the terminal's locale; English without texts."""
    names = (locale.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    named = next(filter(None, names), "") if setting == "auto" else setting
    return next((code for code in LANGUAGES if named.lower().startswith(code)), "en")


_speaker: ContextVar[Callable[[], Language]] = ContextVar(
    "speaker", default=lambda: choose_language("auto", os.environ)
)


def language() -> Language:
    """The language of the person at the terminal."""
    return _speaker.get()()


@contextmanager
def speaking(chosen: Callable[[], Language]) -> Iterator[None]:
    """Speak the language that ``chosen`` gives; it is asked when the first text is printed."""
    before = _speaker.set(chosen)
    try:
        yield
    finally:
        _speaker.reset(before)


def phrase(english: str, /, **fields: object) -> str:
    """A text of a command, with the fields in braces filled in."""
    text = english if language() == "en" else catalog("output").get(english, english)
    return text.format(**fields) if fields else text


def count_things(number: int, singular: str, plural: str = "") -> str:
    """A number of things, such as "1 memory" and "2 memories"."""
    if language() == "en":
        several = plural or _SEVERAL.get(singular, f"{singular}s")
        return f"{number:,} {singular if number == 1 else several}"
    return phrase("{n} " + singular, n=f"{number:,}")


def term(word: str) -> str:
    """A word of the engine; one that has no other name stays."""
    return word if language() == "en" else catalog("terms").get(word, word)


def help_text(english: str) -> str:
    """The help of a command or an option, paragraph by paragraph."""
    if language() == "en":
        return english
    texts = catalog("help")
    paragraphs = (" ".join(paragraph.split()) for paragraph in english.split("\n\n"))
    return "\n\n".join(texts.get(paragraph, paragraph) for paragraph in paragraphs)


def sentence(english: str) -> str:
    """A sentence of the engine; as it is where its template is not known."""
    return english if language() == "en" else _translate(english) or english


def is_known(english: str) -> bool:
    """Whether a sentence of the engine has its words in the language of the person."""
    return language() == "en" or _translate(english) is not None


@cache
def catalog(name: Literal["output", "help", "terms", "engine"]) -> dict[str, str]:
    """English to Chinese; a program outside of the package may add its own texts."""
    import json
    from pathlib import Path

    file = Path(__file__).with_name("zh") / f"{name}.json"
    texts: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return texts


class _Template(NamedTuple):
    literal: str  # its longest piece, which most other sentences do not have
    english: str
    chinese: str


@cache
def _templates() -> tuple[_Template, ...]:
    """Templates with fields: those that begin with words first, then those with more of them."""
    templates = []
    for english, chinese in catalog("engine").items():
        literals = _FIELD.split(english)[::2]
        if len(literals) > 1:
            order = (not literals[0], -sum(map(len, literals)))
            templates.append((order, _Template(max(literals, key=len), english, chinese)))
    return tuple(template for _, template in sorted(templates))


def _fields(template: str, text: str) -> dict[str, str] | None:
    """What was filled into a template; None if the text is not made from it."""
    literals = _FIELD.split(template)
    parts = [re.escape(literal) for literal in literals]
    parts[1::2] = (f"(?P<{name}>{_KEYS.get(name, '.*?')})" for name in literals[1::2])
    match = re.fullmatch("".join(parts), text, re.DOTALL)
    return match and match.groupdict()


def _translate_field(name: str, value: str) -> str:
    """What stands in a field, which is mostly of the person: its name says what is not."""
    if name == "cause":
        return sentence(value)
    return term(value) if name in _TERMS else value


def _translate(english: str) -> str | None:
    if english in (texts := catalog("engine")):
        return texts[english]
    for template in _templates():
        if template.literal in english and (fields := _fields(template.english, english)):
            fields = {name: _translate_field(name, value) for name, value in fields.items()}
            return template.chinese.format_map(fields)
    if _COUNTS.fullmatch(english):  # such as "2 new, 1 dead"
        counts = (count.partition(" ") for count in english.split(", "))
        return phrase(", ").join(f"{number} {term(word)}" for number, _, word in counts)
    return None
