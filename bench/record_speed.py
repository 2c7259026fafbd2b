"""Recording one turn, beside a bare insert of the same rows into a file of the same schema."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

import apsw

from bench.bare import connect
from bench.corpus import Corpus
from bench.figures import Figure, figure, ratio_at_most
from bench.minds import bench_mind
from bench.timing import MILLI, side_by_side
from mnemic.record.recorder import turn_terms
from mnemic.types import NewTurn, constant

_BLOCK = 20
# Turns that are there already, for each that is timed: by then new words come as rarely as in talk.
_BEFORE = 20
_LIMIT = 1.5
_COPIED = ("turns", "text_terms")


def measure_recording(folder: Path, corpus: Corpus, count: int) -> list[Figure]:
    """``count`` turns each, one transaction and one sync a turn."""
    before = _BEFORE * count
    turns = corpus.turns(0, before + count)
    bare = _Bare(folder / "donor.db", folder / "bare.db", turns)
    bare.insert(*range(before))
    mind = bench_mind(folder / "recorded.db")
    mind.record_many(turns[:before])

    def record(number: int) -> object:
        turn = turns[before + number]
        return mind.record(session=turn.session, role=turn.role, text=turn.text, at=turn.at)

    timed = side_by_side(
        {"ours": record, "bare": lambda number: bare.insert(before + number)},
        count,
        block=_BLOCK,
    )
    mind.close()
    bare.close()
    ours, theirs = timed["ours"], timed["bare"]
    name = f"one turn, {corpus.tongue}"
    return [
        figure(
            "record", f"{name}, p50", "ms", ours.median * MILLI,
            beside="bare insert", baseline=theirs.median * MILLI,
            ratio=ours.ratio(theirs), target=ratio_at_most(_LIMIT),
        ),
        figure(
            "record", f"{name}, p95", "ms", ours.p95 * MILLI,
            beside="bare insert", baseline=theirs.p95 * MILLI, ratio=ours.ratio(theirs, p=95),
        ),
        figure(  # a slow disk hides what the engine adds; the processor's time shows it
            "record", f"{name}, processor time", "ms", median(ours.busy) * MILLI,
            beside="bare insert", baseline=median(theirs.busy) * MILLI,
        ),
    ]  # fmt: skip


class _Bare:
    """Inserts the very rows that the engine would write, made beforehand."""

    def __init__(self, donor: Path, path: Path, turns: list[NewTurn]) -> None:
        with bench_mind(donor) as mind:
            mind.record_many(turns)
        with bench_mind(path):
            pass  # only its schema is wanted
        source = connect(donor)
        self._rows = {
            table: source.execute(f"SELECT * FROM {table}").fetchall() for table in _COPIED
        }
        place = _columns(source, "turns").index("doc")
        self._terms = [
            (row[place], turn_terms(constant(turn.sender), constant(turn.text), (), ()).terms)
            for row, turn in zip(self._rows["turns"], turns, strict=True)
        ]
        self._inserts = [
            (f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
            for table, rows in self._rows.items()
        ]
        source.close()
        self._conn = connect(path)

    def insert(self, *numbers: int) -> None:
        """These rows in one transaction."""
        execute = self._conn.execute
        execute("BEGIN IMMEDIATE")
        for number in numbers:
            for insert, rows in self._inserts:
                execute(insert, rows[number])
            execute("INSERT INTO text_index (rowid, terms) VALUES (?, ?)", self._terms[number])
        execute("COMMIT")

    def close(self) -> None:
        self._conn.close()


def _columns(conn: apsw.Connection, table: str) -> list[Any]:
    return [row[1] for row in conn.execute(f"PRAGMA table_info({table})")]
