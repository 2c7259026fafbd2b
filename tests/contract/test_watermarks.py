"""How far daily events and JSONL copies have come; nothing is skipped, nothing done twice."""

from __future__ import annotations

from mnemic.store.contract import Store
from mnemic.store.rows import Transcript
from mnemic.types import constant
from tests.contract.rows import SPACE, after, append, contents, turn


def undigested(store: Store, session: str = "s") -> list[str]:
    with store.read(SPACE) as unit:
        return contents(unit.ledger.list_undigested(constant(session)))


def untranscribed(store: Store, session: str = "s") -> list[str]:
    with store.read(SPACE) as unit:
        return contents(unit.ledger.list_untranscribed(constant(session)))


def test_new_turns_wait_and_marked_ones_do_not(store: Store) -> None:
    append(store, turn("a"), turn("b"), turn("x", session="t"))
    assert undigested(store) == ["a", "b"]
    with store.write(SPACE) as unit:
        unit.ledger.mark_digested(constant("s"))
    assert undigested(store) == []
    assert undigested(store, "t") == ["x"]
    append(store, turn("c"))
    assert undigested(store) == ["c"]


def test_a_turn_that_fills_a_gap_later_waits_too(store: Store) -> None:
    append(store, turn("a", index=0), turn("z", index=9))
    with store.write(SPACE) as unit:
        unit.ledger.mark_digested(constant("s"))
        unit.ledger.mark_transcribed(Transcript(constant("s"), 10, after(hours=0)))
    append(store, turn("gap", index=4))
    assert undigested(store) == ["gap"]
    assert untranscribed(store) == ["gap"]


def test_an_unknown_or_empty_session_has_nothing_waiting(store: Store) -> None:
    with store.write(SPACE) as unit:
        unit.ledger.open_session(constant("empty"), constant(""), constant(""), after())
        for session in ("empty", "nobody"):
            unit.ledger.mark_digested(constant(session))
            unit.ledger.mark_transcribed(Transcript(constant(session), 0, after()))
            unit.ledger.drop_transcript(constant(session))
            assert unit.ledger.transcript(constant(session)) is None
    assert undigested(store, "nobody") == untranscribed(store, "nobody") == []
    append(store, turn("first", session="empty"))
    assert undigested(store, "empty") == untranscribed(store, "empty") == ["first"]


def test_the_two_marks_are_apart(store: Store) -> None:
    append(store, turn("a"))
    with store.write(SPACE) as unit:
        unit.ledger.mark_transcribed(Transcript(constant("s"), 10, after()))
    assert undigested(store) == ["a"]
    assert untranscribed(store) == []


def test_a_transcript_is_known_until_it_is_dropped(store: Store) -> None:
    append(store, turn("a"), turn("x", session="t"))
    with store.write(SPACE) as unit:
        assert unit.ledger.transcript(constant("s")) is None
        unit.ledger.mark_transcribed(Transcript(constant("s"), 120, after(hours=1)))
        unit.ledger.mark_transcribed(Transcript(constant("t"), 70, after(hours=3)))
        assert unit.ledger.transcript(constant("s")) == Transcript(
            constant("s"), 120, after(hours=1)
        )
        unit.ledger.mark_transcribed(Transcript(constant("s"), 240, after(hours=2)))
        assert unit.ledger.transcript(constant("s")) == Transcript(
            constant("s"), 240, after(hours=2)
        )
        assert unit.ledger.old_transcripts(after(hours=2)) == []
        assert [t.session for t in unit.ledger.old_transcripts(after(hours=2.5))] == ["s"]
        assert len(unit.ledger.old_transcripts(after(hours=4))) == 2
        unit.ledger.drop_transcript(constant("s"))
        assert unit.ledger.transcript(constant("s")) is None
        assert [t.session for t in unit.ledger.old_transcripts(after(hours=4))] == ["t"]
    assert untranscribed(store) == ["a"], "a dropped copy starts again from the first turn"
    assert untranscribed(store, "t") == []
