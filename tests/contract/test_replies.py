"""Answers under a key, and several writes as one transaction."""

from __future__ import annotations

import pytest

from mnemic.errors import StoreError
from mnemic.store.contract import Store
from mnemic.store.rows import KeptReply, Removal
from tests.conftest import NOON
from tests.contract.rows import SPACE, after, append, said, turn

REPLY: KeptReply = (b"mark", 200, b'{"id": "1"}')


def kept(store: Store, *keys: bytes) -> list[KeptReply | None]:
    with store.read(SPACE) as unit:
        return [unit.replies.find(key) for key in keys]


def test_an_answer_is_kept_for_a_day_and_goes_with_what_is_forgotten(store: Store) -> None:
    with store.write(SPACE) as unit:
        unit.replies.keep(b"old", REPLY, NOON)
        unit.replies.keep(b"old", (b"other", 204, b""), NOON)  # the first one stays
    with store.write(SPACE) as unit:
        unit.replies.keep(b"new", REPLY, after(hours=23))
    assert kept(store, b"old", b"new", b"none") == [REPLY, REPLY, None]
    with store.read("other") as unit:
        assert unit.replies.find(b"old") is None
    with store.write(SPACE) as unit:
        unit.replies.keep(b"third", REPLY, after(hours=25))
    assert kept(store, b"old", b"new") == [None, REPLY]
    with store.write(SPACE) as unit:
        unit.eraser.remove(Removal())
    assert kept(store, b"new", b"third") == [None, None]


def test_what_a_thread_writes_meanwhile_is_one_transaction(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.together(SPACE) as unit:  # noqa: PT012
        unit.replies.keep(b"key", REPLY, NOON)
        append(store, turn("tea"))
        assert said(store) == ["tea"], "it sees what it wrote"
        raise ZeroDivisionError
    assert (said(store), kept(store, b"key")) == ([], [None])
    with store.together(SPACE) as unit:
        append(store, turn("tea"))
        append(store, turn("milk"))
        unit.replies.keep(b"key", REPLY, NOON)
    assert (said(store), kept(store, b"key")) == (["tea", "milk"], [REPLY])


def test_half_of_it_does_not_stay(store: Store) -> None:
    """Whoever goes on after a part failed cannot keep the rest."""
    with pytest.raises(StoreError, match="A part of"), store.together(SPACE):  # noqa: PT012
        append(store, turn("tea"))
        with pytest.raises(ZeroDivisionError), store.write(SPACE):
            raise ZeroDivisionError
    assert said(store) == []
    append(store, turn("milk"))
    assert said(store) == ["milk"]
