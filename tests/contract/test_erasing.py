"""Taking records out for good: every place that can hold text is known, and emptied."""

from __future__ import annotations

import pytest

from mnemic.ids import new_id
from mnemic.rules import bm25
from mnemic.store.contract import Store
from mnemic.store.postgres.store import PostgresStore
from mnemic.store.rows import Removal, Rewrite, TurnFilter, VectorRow
from mnemic.store.sqlite.store import SqliteStore
from mnemic.store.transfer import TABLES_READ
from mnemic.types import ToolCall, constant
from tests.conftest import NOON
from tests.contract.rows import SPACE, after, append, attach, attachment, keep, memory, turn

pytestmark = pytest.mark.feature("N7")
HIDDEN = ("text_", "sqlite_", "migrations")  # terms, and tables without a word in them


def test_every_column_that_can_hold_text_is_known(store: Store) -> None:
    """A new one is people's words, the engine's, a copy, a name, or of a fixed list: say which."""
    known = {
        (table.name, column.name)
        for table in TABLES_READ.values()
        for column in table.every
        if column.holds.keys() & {"text", "name", "names", "fixed"}
    }
    there = {
        (table, column)
        for table, column, type_ in _columns(store)
        if type_ == "TEXT" and not table.startswith(HIDDEN)
    }
    assert ("turns", "content") in there
    assert there - known == set()


def _columns(store: Store) -> list[tuple[str, str, str]]:
    if isinstance(store, PostgresStore):
        with store.server.read() as conn:  # one that is made of another goes with it
            return conn.native(
                "SELECT table_name, column_name, upper(data_type) FROM information_schema.columns"
                " WHERE table_schema = 'mnemic' AND is_generated = 'NEVER'"
            ).fetchall()
    assert isinstance(store, SqliteStore)
    with store.database.read() as conn:
        rows = conn.execute(
            "SELECT m.name, c.name, c.type FROM sqlite_schema m, pragma_table_info(m.name) c"
            " WHERE m.type = 'table'"
        )
        return [(str(table), str(column), str(type_)) for table, column, type_ in rows]


def test_turns_leave_no_row_anywhere(store: Store) -> None:
    rows = [
        turn("alpha", calls=(ToolCall("search"),)),
        turn("beta", at=after(hours=1)),
        turn("gamma", session="t", at=after(hours=2)),
    ]
    append(store, *rows)
    append(store, turn("alpha"), space="other")
    with store.write(SPACE) as unit:
        number = unit.vectors.embedder("e", 2)
        texts = unit.vectors.list_unembedded(number, 10)
        vector = b"\x00\x00\x80?\x00\x00\x00\x00"
        unit.vectors.put(number, texts, [VectorRow(text.doc, 0, vector) for text in texts])
        before = unit.vectors.state(number).rewrites["turn"]
    with store.write(SPACE) as unit:
        assert unit.eraser.find_terms(["alpha", "beta", "delta"]) == {"alpha", "beta"}
        docs = unit.eraser.docs("turn", [rows[0].id])
        assert unit.eraser.only_in(["alpha", "beta"], docs) == {"alpha"}
        (text,) = unit.vectors.texts([rows[0].id])
        assert (text.doc, text.text, text.before, text.change) == (docs[0], "alpha", "", -1)
        unit.eraser.remove(Removal(turns=[rows[0].id, rows[2].id]))
    with store.read(SPACE) as unit:
        assert [t.text for t in unit.ledger.turns(TurnFilter())] == ["beta"]
        assert unit.ledger.turns(TurnFilter(tool=constant("search"))) == []
        assert unit.eraser.find_terms(["alpha", "beta", "gamma"]) == {"beta"}
        assert unit.vectors.count(number, 10) == 0, "beta was read beside alpha"
        assert [text.text for text in unit.vectors.list_unembedded(number, 10)] == ["beta"]
        assert unit.vectors.state(number).rewrites["turn"] > before
        assert [(s.id, s.turns) for s in unit.ledger.sessions(10, 0)] == [("s", 1)]
        assert unit.cleanup.orphans(5).counts == dict.fromkeys(unit.cleanup.orphans(5).counts, 0)
    with store.read("other") as unit:
        assert unit.eraser.find_terms(["alpha"]) == {"alpha"}, "theirs stays"
    assert all(finding.ok for finding in store.check(SPACE, deep=True))


def test_the_last_number_is_given_again_and_nothing_takes_it_for_done(store: Store) -> None:
    first, last = turn("one"), turn("two", at=after(hours=1))
    append(store, first, last)
    with store.write(SPACE) as unit:
        number = unit.vectors.embedder("e", 2)
        unit.vectors.put(number, unit.vectors.list_unembedded(number, 10), [])
        unit.ledger.set_state([first.id, last.id], "empty", constant(""))
        unit.ledger.mark_extracted(constant("s"))
        unit.ledger.mark_digested(constant("s"))
        unit.eraser.remove(Removal(turns=[last.id]))
    fresh = turn("three", at=after(hours=2))
    append(store, fresh)
    with store.read(SPACE) as unit:
        assert [t.id for t in unit.ledger.list_undigested(constant("s"))] == [fresh.id]
        assert [t.id for t in unit.ledger.list_unextracted(constant("s"), 10)] == [fresh.id]
        assert [text.text for text in unit.vectors.list_unembedded(number, 10)] == ["three"]
    with store.write(SPACE) as unit:
        unit.eraser.remove(Removal(turns=[first.id, fresh.id]))
        assert unit.vectors.coverage() == {}
        assert unit.ledger.sessions(10, 0) == []


def test_a_chain_is_joined_over_what_goes(store: Store) -> None:
    with store.write(SPACE) as unit:
        versions = [keep(unit, memory(f"v{n}", at=after(days=n))) for n in range(4)]
        for n in range(3):
            unit.memories.supersede(versions[n].id, versions[n + 1].id, after(days=n + 1))
        attach(unit, attachment(memories=(versions[1].id, versions[3].id)))
        unit.eraser.remove(Removal(memories=[versions[1].id, versions[2].id]))
        assert [m.text for m in unit.memories.chain(versions[0].id)] == ["v0", "v3"]
        (file,) = unit.attachments.latest(session=None, direction=None, limit=5)
        assert file.memories == (versions[3].id,)
        unit.eraser.remove(Removal(memories=[versions[3].id]))
        (left,) = unit.memories.chain(versions[0].id)
        assert (left.superseded_by, left.status) == ("", "superseded")


def test_events_about_what_goes_go_and_texts_are_rewritten(store: Store) -> None:
    with store.write(SPACE) as unit:
        gone = keep(unit, memory())
        for subject in (gone.id, "other"):
            unit.journal.add_event(
                "odd",
                operation_id=new_id(NOON),
                subject=constant(subject),
                payload={"x": 1},
                at=NOON,
            )
        unit.eraser.remove(Removal(memories=[gone.id]))
        (event,) = unit.journal.events()
        assert unit.eraser.read_text("event", event.id) == '{"x":1}'
        unit.eraser.rewrite(Rewrite("event", event.id, constant('{"x":2}')))
        assert unit.journal.events()[0].payload == {"x": 2}
        unit.scratchpads.put(constant("buy milk"), NOON)
        assert [held.texts for held in unit.eraser.read_texts(["scratchpad"])] == [("buy milk",)]
        unit.eraser.rewrite(Rewrite("scratchpad", "", constant("")))
        pad = unit.scratchpads.get()
        assert pad is not None
        assert pad.text == ""


def test_compacting_keeps_everything_that_is_there(store: Store) -> None:
    rows = [turn(f"word{n}", at=after(minutes=n)) for n in range(50)]
    append(store, *rows)
    with store.write(SPACE) as unit:
        unit.eraser.remove(Removal(turns=[row.id for row in rows[::2]]))
    store.compact()
    assert sorted(store.vocabulary(SPACE)) == sorted(f"word{n}" for n in range(1, 50, 2))
    with store.read(SPACE) as unit:
        assert len(unit.ledger.turns(TurnFilter())) == 25
    assert all(finding.ok for finding in store.check(SPACE, deep=True))
    append(store, turn("later", at=after(days=1)))
    assert "later" in set(store.vocabulary(SPACE))


def test_orphans_are_found_and_removed(store: Store) -> None:
    kept = turn("tea")
    append(store, kept)
    with store.write(SPACE) as unit:
        known = keep(unit, memory(sources=(kept.id,)))
        unit.memories.add_sources(constant("nobody"), [kept.id])
        unit.memories.add_sources(known.id, [constant("nothing")])
    with store.write(SPACE) as unit:
        found = unit.cleanup.orphans(5)
        assert found.counts["sources without a memory"] == 1
        assert found.examples["sources without a turn"] == (known.id,)
        assert unit.cleanup.remove_orphans() == 2
        assert sum(unit.cleanup.orphans(5).counts.values()) == 0
        (left,) = unit.memories.by_id([known.id])
        assert [source.turn_id for source in left.sources] == [kept.id]


def test_counters_add_up_by_day(store: Store) -> None:
    with store.write(SPACE) as unit:
        unit.counters.add(NOON.date(), {"recalls": 2})
        unit.counters.add(after(days=1).date(), {"recalls": 3, "contexts": 1})
        unit.counters.add(after(days=1).date(), {"recalls": 1})
    with store.read(SPACE) as unit:
        assert unit.counters.totals(None) == {"recalls": 6, "contexts": 1}
        assert unit.counters.totals(after(days=1).date()) == {"recalls": 4, "contexts": 1}
    with store.read("other") as unit:
        assert unit.counters.totals(None) == {}


def test_packed_terms_are_numbers_and_go_with_their_row(store: Store) -> None:
    row = turn("alpha")
    append(store, row)
    assert bm25.pack("alpha") == row.packed
    with store.write(SPACE) as unit:
        unit.eraser.remove(Removal(turns=[row.id]))
        assert unit.text.list_unindexed("turn", 5) == []


def test_vectors_that_come_after_their_record_went_are_dropped(store: Store) -> None:
    rows = [turn("one"), turn("two", at=after(hours=1))]
    append(store, *rows)
    vector = b"\x00\x00\x80?\x00\x00\x00\x00"
    with store.write(SPACE) as unit:
        number = unit.vectors.embedder("e", 2)
        read = unit.vectors.list_unembedded(number, 10)
        unit.eraser.remove(Removal(turns=[rows[1].id]))
        unit.vectors.put(number, read, [VectorRow(text.doc, 0, vector) for text in read])
        assert unit.vectors.count(number, 10) == 1
    fresh = turn("three", at=after(hours=2))
    append(store, fresh)
    with store.read(SPACE) as unit:
        assert [text.text for text in unit.vectors.list_unembedded(number, 10)] == ["three"]
