"""Forgetting on a server, and the checks of a doctor there."""

from __future__ import annotations

import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.store.postgres.store import PostgresStore

pytestmark = pytest.mark.feature("O5")


def test_what_is_forgotten_is_in_no_row_and_no_list(url: str, clock: ManualClock) -> None:
    with mnemic.open(url, worker="none", clock=clock) as mind:
        mind.record(session="s", role="user", text="My dog is called Bartholomew")
        mind.record(session="s", role="user", text="The weather in Lisbon is fine \0 today")
        mind.drain()
        receipt = mind.forget(query="Bartholomew")
        assert receipt.counts["turn"] == 1
        findings = mind.doctor(deep=True, forgotten=receipt)
        assert [finding for finding in findings if not finding.ok] == []
        assert {"integrity", "vacuum", "forgotten: index"} <= {one.check for one in findings}
        assert not any("Bartholomew" in hit.text for hit in mind.recall("Bartholomew dog"))
        assert "lisbon" in mind.recall("weather")[0].text.lower()


def test_an_entry_of_the_index_that_is_wrong_is_found_and_repaired(
    store: PostgresStore, url: str, clock: ManualClock
) -> None:
    with mnemic.open(url, worker="none", clock=clock) as mind:
        mind.record(session="s", role="user", text="The weather in Lisbon is fine")
        with store.open_write("default") as unit:
            unit.conn.native("DELETE FROM text_postings WHERE term = 'lisbon'")
        assert "integrity" in {one.check for one in mind.doctor(deep=True) if not one.ok}
        mind.repair()
        assert all(one.ok for one in mind.doctor(deep=True))
        assert mind.recall("Lisbon")
