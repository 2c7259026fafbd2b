"""The shipped lists of features and statements are complete; a wrong list is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.catalog import Catalog, CatalogError, load
from tests.conformance.statements import load_statements

FEATURES = Path(__file__).with_name("features.toml")
STATEMENTS = Path(__file__).with_name("statements.toml")
PRESETS = Path(__file__).parents[2] / "src" / "mnemic" / "settings" / "presets"
# How many features each section owes. Removing one from the list has to be said here too.
OWED = {"L": 7, "M": 14, "X": 9, "R": 10, "P": 5, "V": 9, "U": 8, "O": 7, "N": 10}

# The numbers of the statements of each document.
SAID = {"A": range(1, 127), "C": range(1, 61), "D": range(57, 119), "E": range(114, 156)}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load(FEATURES)


def test_lists_every_feature_in_order(catalog: Catalog) -> None:
    expected = [f"{letter}{n}" for letter, count in OWED.items() for n in range(1, count + 1)]
    assert list(catalog.features) == expected


def test_lists_every_statement_in_order(catalog: Catalog) -> None:
    rows = load_statements(STATEMENTS, catalog).rows
    assert list(rows) == [f"{letter}{n}" for letter, numbers in SAID.items() for n in numbers]
    assert len(rows) == 290


def test_a_statement_says_where_its_document_says_it(catalog: Catalog) -> None:
    rows = load_statements(STATEMENTS, catalog).rows
    for row in rows.values():
        assert row.section[0] in ("AB" if row.letter == "A" else row.letter), row.id


def test_knows_every_preset_that_ships(catalog: Catalog) -> None:
    assert set(catalog.presets) == {path.stem for path in PRESETS.glob("*.toml")}


def test_every_preset_owes_something(catalog: Catalog) -> None:
    owed = {preset for feature in catalog.features.values() for preset in feature.presets}
    assert owed == set(catalog.presets) - {"default"}


def test_a_preset_owes_what_its_documents_ask_for(catalog: Catalog) -> None:
    preset_of = {"A": "openakita", "B": "openakita", "C": "shiyi", "D": "myclaw", "E": "semibot"}
    for feature in catalog.features.values():
        asked = {preset_of[name[0]] for name in feature.documents if name[0] in preset_of}
        assert set(feature.presets) == asked, feature.id


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('what = "x"\nfrom = ["A"]\nbuild = true', "unknown build"),
        ('what = "x"\nfrom = ["A"]\nbuilt = "yes"', "true or false"),
        ('from = ["A"]', "says in words"),
        ('what = "x"', "names the document"),
        ('what = "x"\nfrom = ["Q §1"]', "no document 'Q §1'"),
        ('what = "x"\nfrom = "A"', "list of texts"),
        ('what = "x"\nfrom = ["A"]\npresets = ["nobody"]', "no preset 'nobody'"),
    ],
)
def test_refuses_a_wrong_row(tmp_path: Path, row: str, reason: str) -> None:
    with pytest.raises(CatalogError, match=reason):
        load(_written(tmp_path, f"[features.L1]\n{row}\n"))


@pytest.mark.parametrize("id_", ["L0", "l1", "Z1", "LL"])
def test_refuses_a_wrong_id(tmp_path: Path, id_: str) -> None:
    with pytest.raises(CatalogError, match="letter and a number"):
        load(_written(tmp_path, f'[features.{id_}]\nwhat = "x"\nfrom = ["A"]\n'))


def test_ids_are_ordered_as_numbers(tmp_path: Path) -> None:
    rows = [f'[features.L{n}]\nwhat = "x"\nfrom = ["A"]\n' for n in (10, 2, 1)]
    assert list(load(_written(tmp_path, *rows)).features) == ["L1", "L2", "L10"]


def _written(folder: Path, *rows: str) -> Path:
    path = folder / "features.toml"
    head = '[documents]\nA = "a"\n[presets]\ndefault = "ours"\n[sections]\nL = "Ledger"\n'
    path.write_text(head + "".join(rows), encoding="utf-8")
    return path
