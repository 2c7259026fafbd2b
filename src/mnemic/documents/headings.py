"""The headings of the documents in either language, and what a bullet below each one says."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from mnemic.late import dataclass
from mnemic.prompts import ByLanguage, Language
from mnemic.rules.slots import predicate_of
from mnemic.settings.environment import DocumentName
from mnemic.types import Kind

EARLIER = "earlier"
GENERAL = "general"


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """A section of a document; ``kind`` is what a bullet becomes that a person adds to it."""

    key: str
    en: str
    zh: str
    kind: Kind = "fact"
    subject: str = ""
    predicate: str = ""
    project: str = ""

    def title(self, language: Language) -> str:
        return ByLanguage(en=self.en, zh=self.zh)[language]


@cache
def _read_headings() -> dict[str, Any]:
    file = resources.files(__package__).joinpath("headings.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def title_of(name: DocumentName) -> DocumentSection:
    """The title of a document, in both languages."""
    return DocumentSection("#", **_read_headings()[name]["title"])


@cache
def sections_of(name: DocumentName) -> tuple[DocumentSection, ...]:
    return tuple(DocumentSection(**section) for section in _read_headings()[name]["sections"])


@cache
def map_predicates(name: DocumentName) -> dict[str, str]:
    """The keys of sections by the predicates whose memories belong in them."""
    listed = _read_headings()[name]["names"].items()
    return {predicate_of(predicate): key for key, names in listed for predicate in names.split(",")}


def usual_section(name: DocumentName) -> str:
    """The key of the section for a bullet that has none of its own."""
    return str(_read_headings()[name]["usual"])


def project_sections(projects: Sequence[str]) -> tuple[DocumentSection, ...]:
    """One section for each project; a name is its own title in both languages."""
    general, earlier = sections_of("project")
    reserved = {title.casefold() for title in (general.en, general.zh, earlier.en, earlier.zh)}
    sections = [
        DocumentSection(f"project:{name}", _line(name), _line(name), "fact", project=name)
        for name in projects
        if _line(name) and _line(name).casefold() not in reserved
    ]
    return (general, *sections, earlier)


def _line(name: str) -> str:
    """A name as a heading gives it back."""
    return " ".join(name.split()).strip(" \t#")[:200]
