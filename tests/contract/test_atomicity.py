"""``write`` is one transaction and ``read`` one snapshot."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from mnemic.clock import ManualClock
from mnemic.errors import Closed, Conflict
from mnemic.store.contract import Store, Unit
from mnemic.store.rows import MemoryFilter, Transcript
from mnemic.types import constant
from tests.conftest import NOON
from tests.contract.backends import Backend
from tests.contract.rows import SPACE, append, attach, attachment, found, keep, memory, said, turn


class BoomError(Exception):
    pass


def do_everything(unit: Unit) -> None:
    """One write in every room."""
    unit.ledger.open_session(constant("new"), constant("p"), constant(""), NOON)
    unit.ledger.append([turn("tea", session="new")])
    unit.ledger.end_session(constant("s"), NOON)
    unit.ledger.mark_digested(constant("s"))
    unit.ledger.mark_transcribed(Transcript(constant("s"), 9, NOON))
    old, new = keep(unit, memory("old")), keep(unit, memory("new"))
    unit.memories.supersede(old.id, new.id, NOON)
    attach(unit, attachment())
    unit.journal.add_event(
        "write", operation_id=constant("op"), subject=constant("m"), payload={}, at=NOON
    )
    unit.journal.add_usage(
        purpose=constant("x"),
        model=constant("m"),
        input_tokens=1,
        output_tokens=1,
        cost=None,
        at=NOON,
    )
    unit.tasks.enqueue("work", {constant("k"): {}}, run_at=NOON, now=NOON, max_attempts=3)
    unit.text.put("turn", {unit.ledger.turn_at(constant("s"), 0).id: constant("changed")})


def picture(store: Store, space: str = SPACE) -> list[object]:
    """Everything a space can show."""
    with store.read(space) as unit:
        return [
            unit.ledger.sessions(10, 0),
            [unit.ledger.list_undigested(constant(s)) for s in ("s", "new")],
            [unit.ledger.transcript(constant(s)) for s in ("s", "new")],
            found(store, space),
            unit.memories.find(MemoryFilter(holds_at=NOON)),
            unit.attachments.latest(session=None, direction=None, limit=10),
            unit.journal.events(),
            unit.journal.usage(None),
            unit.tasks.list_unfinished(None, 10),
        ]


@pytest.mark.parametrize("error", [BoomError, KeyboardInterrupt, Conflict])
def test_an_exception_leaves_nothing(store: Store, error: type[BaseException]) -> None:
    append(store, turn("before"))
    before = picture(store)
    with pytest.raises(error), store.write(SPACE) as unit:  # noqa: PT012
        do_everything(unit)
        raise error("boom")
    assert picture(store) == before
    assert all(finding.ok for finding in store.check(SPACE, deep=True))
    append(store, turn("after"))
    assert said(store) == ["before", "after"], "the store works on"


def test_an_exception_leaves_not_even_the_space(store: Store) -> None:
    with pytest.raises(BoomError), store.write("new") as unit:  # noqa: PT012
        unit.ledger.append([turn()])
        raise BoomError
    assert store.spaces() == []
    append(store, turn("mine"), space="other")
    assert said(store, "new") == []
    append(store, turn("now"), space="new")
    assert said(store, "new") == ["now"]
    assert said(store, "other") == ["mine"]


def test_everything_at_once_is_there_afterwards(store: Store) -> None:
    append(store, turn("before"))
    before = picture(store)
    with store.write(SPACE) as unit:
        do_everything(unit)
    after = picture(store)
    assert all(was != now for was, now in zip(before, after, strict=True))


def test_a_reader_sees_one_moment(backend: Backend, tmp_path: Path, clock: ManualClock) -> None:
    if not backend.lasts:
        return
    store = backend.open(tmp_path, clock)
    append(store, turn("before"))
    with store.read(SPACE) as unit:
        info = unit.ledger.session(constant("s"))
        assert info is not None
        assert info.turns == 1
        writer = threading.Thread(target=lambda: append(store, turn("meanwhile")))
        writer.start()
        writer.join()
        assert unit.ledger.session(constant("s")) == info
    assert said(store) == ["before", "meanwhile"]
    store.close()


def test_threads_append_to_one_session_without_gap_or_loss(store: Store) -> None:
    def work(name: str) -> None:
        for number in range(15):
            append(store, turn(f"{name}{number}"))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    turns = found(store, session="s")
    assert [t.index for t in turns] == list(range(60))
    for name in "abcd":
        mine = [t.text for t in turns if t.text.startswith(name)]
        assert mine == [f"{name}{n}" for n in range(15)]


def test_a_closed_store_says_so(store: Store) -> None:
    append(store, turn())
    store.close()
    store.close()
    with pytest.raises(Closed) as caught, store.read(SPACE):
        pass
    assert caught.value.remedy
    with pytest.raises(Closed), store.write(SPACE):
        pass
    with pytest.raises(Closed):
        store.queue.claim("w", NOON, NOON)
