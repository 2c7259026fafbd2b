"""The pattern files of the package: each pattern is needed, right on its examples, and quick."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from zipfile import ZipFile

import pytest
from flit_core.wheel import make_wheel_in

from mnemic.language.extract.entries import Entry, Scope, check_expressions
from mnemic.language.extract.examples import check_examples, examples_of, statement_text
from mnemic.language.extract.languages import Patterns, load_patterns
from mnemic.language.extract.message import MessageReader
from mnemic.language.word_file import list_languages
from mnemic.learn.pattern_files import check_speed

pytestmark = pytest.mark.feature("X5")


class Without(Patterns):
    """The patterns but one."""

    left_out: Entry | None = None

    def entries(self, scope: Scope, text: str) -> Iterator[Entry]:
        return (one for one in super().entries(scope, text) if one is not self.left_out)


def entries() -> list[Entry]:
    return [entry for language in load_patterns().languages for entry in language.all_entries()]


def test_every_example_gives_what_it_says() -> None:
    for entry in entries():
        check_expressions(entry)
        check_examples(entry, load_patterns())


def test_every_pattern_earns_its_place() -> None:
    """Without it, one of its own examples is not learned, or learned as something else."""
    others = Without(load_patterns().languages)
    reader = MessageReader(others)
    idle = []
    for entry in entries():
        others.left_out = entry
        learned = (
            (
                tuple(statement_text(found) for found in reader.read(one.message, one.before)),
                one.learned,
            )
            for one in examples_of(entry)
        )
        if all(found == wanted for found, wanted in learned):
            idle.append(f"{entry.vocabulary.file}: {entry.name}")
    assert not idle, "give it an example that no other pattern gets right, or remove it"


def test_every_pattern_is_quick_on_hostile_clauses() -> None:
    for entry in entries():
        check_speed(entry)


def test_both_languages_have_the_same_kinds_of_statement() -> None:
    told = {
        language.code: {(entry.scope, entry.kind, entry.yields) for entry in language.all_entries()}
        for language in load_patterns().languages
    }
    assert set(told) == set(list_languages())
    assert told["en"] == told["zh"]


def test_the_files_go_into_the_wheel(tmp_path: Path) -> None:
    made = make_wheel_in(Path(__file__).parents[2] / "pyproject.toml", tmp_path)
    with ZipFile(made.file) as wheel:
        names = set(wheel.namelist())
    for name in (*list_languages(), "products"):
        assert f"mnemic/language/extract/patterns/{name}.toml" in names


def test_every_field_is_described() -> None:
    page = (Path(__file__).parents[2] / "docs" / "patterns.md").read_text(encoding="utf-8")
    named = {field.name for field in fields(Entry)} - {"vocabulary"}
    assert not {name for name in named if f"`{name}`" not in page}
