"""What the store keeps of the documents: fingerprints and choices, for one space only."""

from __future__ import annotations

import pytest

from mnemic import Mind
from mnemic.store.rows import DocumentChoice, DocumentRow, Written
from mnemic.types import constant
from tests.conftest import NOON
from tests.documents.desk import Desk

pytestmark = pytest.mark.feature("V6")


def test_a_row_is_read_as_it_was_written(mind: Mind) -> None:
    row = DocumentRow(
        constant("memory"), Written("f1", {"a": "b"}), Written("f2", {}), constant("z")
    )
    with mind._store.write("default") as unit:
        assert unit.document_states.get("memory") is None
        unit.document_states.put(DocumentRow(constant("memory")), NOON)
        assert unit.document_states.get("memory") == DocumentRow(constant("memory"))
        unit.document_states.put(row, NOON)
    with mind._store.read("default") as unit:
        assert unit.document_states.get("memory") == row
        assert unit.document_states.get("user") is None
    with mind._store.read("bob") as unit:
        assert unit.document_states.get("memory") is None


def test_choices_are_replaced_and_dropped(mind: Mind) -> None:
    one = DocumentChoice(constant("memory"), constant("m1"), "pinned", NOON)
    two = DocumentChoice(constant("user"), constant("m1"), "hidden", NOON)
    asked = DocumentChoice(constant("memory"), constant("m1"), "asked", NOON)
    with mind._store.write("default") as unit:
        states = unit.document_states
        for choice in (one, two, asked):
            states.choose(choice)
        assert states.choices() == [asked, two]
        states.drop_choices("m1", "memory")
        assert states.choices() == [two]
        states.drop_choices("m1")
        assert states.choices() == []
    with mind._store.write("bob") as unit:
        unit.document_states.choose(one)
    with mind._store.read("default") as unit:
        assert unit.document_states.choices() == []


def test_no_words_are_kept_of_what_was_written(desk: Desk) -> None:
    desk.remember("canaryword")
    desk.sync()
    with desk.mind._store.read("default") as unit:
        row = unit.document_states.get("memory")
    assert row is not None
    assert row.written is not None
    assert "canaryword" not in repr(row)
