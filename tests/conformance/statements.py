"""The statements of the documents, read from statements.toml and checked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.catalog import Catalog, CatalogError

ID = re.compile(r"[A-Z][1-9][0-9]*")
FIELDS = frozenset({"section", "what", "features", "better"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing a document says about its system, owed under the preset of that document."""

    id: str
    section: str
    what: str
    features: tuple[str, ...]
    better: str
    built: bool
    preset: str

    @property
    def presets(self) -> tuple[str, ...]:
        """None to be named by a mark: the letter of the id says which."""
        return ()

    @property
    def letter(self) -> str:
        return self.id[0]


@dataclass(frozen=True, slots=True)
class Statements:
    """Every statement by id, in the order of the documents."""

    rows: Mapping[str, Statement]
    titles: Mapping[str, str]

    def check_mark(self, ids: Sequence[object], keywords: Mapping[str, object]) -> None:
        """Refuse a mark that names no statement, or one that no document makes."""
        if keywords:
            raise CatalogError(f"a statement mark takes ids only, not {', '.join(keywords)}")
        if not ids:
            raise CatalogError("a statement mark names at least one id, such as 'A13'")
        for id_ in ids:
            if id_ not in self.rows:
                raise CatalogError(f"no statement {id_!r} in statements.toml")

    def presets_of(self, ids: Sequence[object]) -> set[str]:
        """The presets under which these statements are owed."""
        return {self.rows[str(id_)].preset for id_ in ids if id_ in self.rows}


def load_statements(path: Path, catalog: Catalog) -> Statements:
    """Read and check the list; where there is no file no statement is owed."""
    if not path.exists():
        return Statements({}, {})
    with path.open("rb") as file:
        data = tomllib.load(file)
    presets, titles = data["presets"], data["titles"]
    waiting = {id_ for ids in data["open"].values() for id_ in ids}
    unknown = sorted(waiting - set(data["statements"]))
    if unknown:
        raise CatalogError(f"open names {', '.join(unknown)}, which is no statement")
    rows = {
        id_: _statement(id_, row, presets, id_ not in waiting)
        for id_, row in data["statements"].items()
    }
    for row in rows.values():
        if row.preset not in catalog.presets:
            raise CatalogError(f"{row.id}: no preset {row.preset!r}")
        for feature in row.features:
            if feature not in catalog.features:
                raise CatalogError(f"{row.id}: no feature {feature!r}")
    return Statements(rows, titles)


def _statement(
    id_: str, row: Mapping[str, object], presets: Mapping[str, str], built: bool
) -> Statement:
    if not ID.fullmatch(id_) or id_[0] not in presets:
        raise CatalogError(f"{id_}: an id is a document's letter and a number")
    unknown = sorted(set(row) - FIELDS)
    if unknown:
        raise CatalogError(f"{id_}: unknown {', '.join(unknown)}; known are {sorted(FIELDS)}")
    section, what, better = (row.get(name, "") for name in ("section", "what", "better"))
    if not isinstance(section, str) or not isinstance(what, str) or not section or not what:
        raise CatalogError(f"{id_}: 'section' and 'what' say where and what the document says")
    if not isinstance(better, str) or ("better" in row and not better):
        raise CatalogError(f"{id_}: 'better' gives the reason")
    features = row.get("features", [])
    if not isinstance(features, list):
        raise CatalogError(f"{id_}: 'features' is a list of ids")
    return Statement(id_, section, what, tuple(features), better, built, presets[id_[0]])
