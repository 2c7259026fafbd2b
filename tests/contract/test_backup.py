"""A copy of everything, made while the store is in use."""

from __future__ import annotations

from pathlib import Path

import pytest

from mnemic.clock import ManualClock
from mnemic.errors import Conflict
from mnemic.store.contract import Store
from mnemic.store.rows import TurnFilter
from mnemic.store.sqlite.store import SqliteStore
from tests.contract.rows import turn


def test_a_backup_holds_every_space(store: Store, tmp_path: Path, clock: ManualClock) -> None:
    for space in ("a", "b"):
        with store.write(space) as unit:
            unit.ledger.append([turn(content=f"said in {space}")])
    pages: list[tuple[int, int]] = []
    target = tmp_path / "copies" / "one.db"
    made = store.backup(
        target, replace=False, patience=0, progress=lambda done, of: pages.append((done, of))
    )
    assert (made.counts["spaces"], made.counts["turns"]) == (2, 2)
    assert pages[-1] == (made.pages, made.pages)
    copy = SqliteStore(str(target), busy_timeout=30, now=clock.now)
    for space in ("a", "b"):
        with copy.read(space) as unit:
            assert [t.text for t in unit.ledger.turns(TurnFilter())] == [f"said in {space}"]
    copy.close()


def test_a_backup_is_known_for_what_it_is(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "one.db"
    assert not store.is_backup(target)
    store.backup(target, replace=False, patience=0, progress=lambda done, of: None)
    assert store.is_backup(target)
    with pytest.raises(Conflict):
        store.backup(target, replace=False, patience=0, progress=lambda done, of: None)
    store.backup(target, replace=True, patience=0, progress=lambda done, of: None)
    target.write_text("something else")
    assert not store.is_backup(target)
