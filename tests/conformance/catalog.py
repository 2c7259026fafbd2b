"""The list of features, read from features.toml and checked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ID = re.compile(r"([A-Z])([1-9][0-9]*)")
FIELDS = frozenset({"what", "from", "presets", "built"})


class CatalogError(Exception):
    """features.toml, or a mark that refers to it, says something that cannot be."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One thing the engine owes. No presets: it is owed whatever the preset."""

    id: str
    what: str
    documents: tuple[str, ...]
    presets: tuple[str, ...]
    built: bool

    @property
    def section(self) -> str:
        return self.id[0]


@dataclass(frozen=True, slots=True)
class Catalog:
    """Every feature by id, in the order people read them."""

    features: Mapping[str, Feature]
    sections: Mapping[str, str]
    documents: Mapping[str, str]
    presets: Mapping[str, str]

    def check_mark(self, ids: Sequence[object], presets: Sequence[object]) -> None:
        """Refuse a mark that names an unknown feature, or a preset that does not owe it."""
        if not ids:
            raise CatalogError("a feature mark names at least one id, such as 'L1'")
        for preset in presets:
            if preset not in self.presets:
                raise CatalogError(f"no preset {preset!r}; there are {', '.join(self.presets)}")
        for id_ in ids:
            if id_ not in self.features:
                raise CatalogError(f"no feature {id_!r} in features.toml")
            owed = self.features[str(id_)].presets
            for preset in presets:
                if owed and preset not in (*owed, "default"):
                    raise CatalogError(
                        f"preset {preset!r} does not promise {id_} in features.toml, "
                        f"only {', '.join(owed)}"
                    )


def load(path: Path) -> Catalog:
    """Read and check the catalog."""
    with path.open("rb") as file:
        data = tomllib.load(file)
    sections, documents, presets = data["sections"], data["documents"], data["presets"]
    features = {id_: _feature(id_, row) for id_, row in data["features"].items()}
    for feature in features.values():
        _check(feature, sections, documents, presets)
    order = {letter: place for place, letter in enumerate(sections)}
    ids = sorted(features, key=lambda id_: (order[id_[0]], int(id_[1:])))
    return Catalog({id_: features[id_] for id_ in ids}, sections, documents, presets)


def _feature(id_: str, row: Mapping[str, object]) -> Feature:
    unknown = sorted(set(row) - FIELDS)
    if unknown:
        raise CatalogError(f"{id_}: unknown {', '.join(unknown)}; known are {sorted(FIELDS)}")
    built = row.get("built", False)
    if not isinstance(built, bool):
        raise CatalogError(f"{id_}: built is true or false, not {built!r}")
    what = row.get("what")
    if not isinstance(what, str) or not what:
        raise CatalogError(f"{id_}: 'what' says in words what the feature is")
    return Feature(id_, what, _texts(id_, row, "from"), _texts(id_, row, "presets"), built)


def _texts(id_: str, row: Mapping[str, object], field: str) -> tuple[str, ...]:
    value = row.get(field, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise CatalogError(f"{id_}: {field!r} is a list of texts")
    return tuple(value)


def _check(
    feature: Feature,
    sections: Mapping[str, str],
    documents: Mapping[str, str],
    presets: Mapping[str, str],
) -> None:
    if not ID.fullmatch(feature.id) or feature.section not in sections:
        raise CatalogError(f"{feature.id}: an id is a section's letter and a number")
    if not feature.documents:
        raise CatalogError(f"{feature.id}: 'from' names the document that asks for it")
    for document in feature.documents:
        if document.split()[0] not in documents:
            raise CatalogError(f"{feature.id}: no document {document!r}")
    for preset in feature.presets:
        if preset not in presets:
            raise CatalogError(f"{feature.id}: no preset {preset!r}")
