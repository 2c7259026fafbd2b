"""What is larger than the network takes at once."""

from __future__ import annotations

import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.store.postgres.store import PostgresStore

pytestmark = pytest.mark.feature("O5")


@pytest.mark.parametrize("size", [1_000_000, 20_000_000])
def test_a_large_value_is_sent_whole_before_its_answer_is_waited_for(
    store: PostgresStore, size: int
) -> None:
    with store.open_write("default") as unit:
        unit.conn.native("SELECT repeat('y', $1::int)", (size,))  # nobody has taken this yet
        assert unit.conn.native("SELECT length($1)", ("x" * size,)).fetchone() == (size,)
        unit.conn.native("SELECT length($1)", ("x" * size,))
        unit.conn.flush()


def test_a_long_turn_is_recorded_and_found(url: str, clock: ManualClock) -> None:
    text = "a long story about Lisbon " * 20_000
    with mnemic.open(url, worker="none", clock=clock) as mind:
        mind.record(session="s", role="user", text=text)
        assert mind.turns()[0].text == text
        assert mind.recall("Lisbon")[0].index == 0
