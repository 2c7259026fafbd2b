"""What follows from the united rows: places in a conversation, versions of a fact, contradictions.

Devices exchange what was said and decided on each of them. Two of them may have gone on with one
session, or learned different answers to one question. What is shown then is a function of all rows,
worked out anew on every device, and never exchanged: so the order in which changes meet does not
matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from mnemic.rules.likeness import same_value
from mnemic.rules.slots import has_one_answer
from mnemic.rules.support import may_overrule
from mnemic.store.contract import Unit
from mnemic.store.transfer import from_cell, to_cell
from mnemic.sync.registers import MERGED, ChangedMeanwhile, Held, MergedTable, mark_of, read_rows

_FREE = 1 << 40  # places above every real one, for rows whose place is taken
_STATE = "status valid_to superseded_at superseded_by".split()
Shown = dict[str, dict[str, Any]]
"""Columns to show for rows, by key; the true values for those that are shown as they are."""


@dataclass
class Touched:
    """Rows that changed; ``gone`` are tables of which some were removed."""

    sessions: set[str] = field(default_factory=set)
    memories: set[str] = field(default_factory=set)
    operations: set[str] = field(default_factory=set)
    stretches: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)

    def add(self, table: MergedTable, key: str, row: Sequence[Any] | None) -> None:
        if row is None:
            self.gone.add(table.name)
            return
        cells = dict(zip(table.columns, row, strict=True))
        if table.name in ("turns", "sessions"):
            self.sessions.add(cells["session" if table.name == "turns" else "id"])
        elif table.name == "memories":
            self.memories.add(key)
        elif table.name == "episodes":
            self.stretches.add(cells["session"])
        elif table.name == "events":
            self.operations.add(cells["operation_id"])
            if cells["type"] == "supersede":
                self.memories.add(cells["subject"])


def settle(unit: Unit, touched: Touched, *, captured: bool) -> None:
    """Show what follows from the rows; unless ``captured``, missing ones come with their family."""
    _find_held(unit, touched)
    if touched.sessions:
        _settle_places(unit, _TURNS, touched.sessions, captured=captured)
        _settle_sessions(unit, touched.sessions)
    if touched.operations:
        _settle_places(unit, _EVENTS, touched.operations, captured=captured)
    if touched.stretches:
        _settle_stretches(unit, touched.stretches)
    if touched.memories:
        _settle_memories(unit, touched.memories)


def _find_held(unit: Unit, touched: Touched) -> None:
    """Where rows went, find those shown otherwise, and sessions that may be shorter now."""
    if "turns" in touched.gone and unit.sync.list_changed() is None:
        touched.sessions |= {id_ for (id_,) in unit.sync.rows(MERGED["sessions"].table, ("id",))}
    parents = {
        "events": ("operation_id", touched.operations),
        "episodes": ("session", touched.stretches),
        "memories": ("id", touched.memories),
    }
    for name in touched.gone & parents.keys():
        held = unit.sync.load_held(name)
        column, ids = parents[name]
        table = MERGED[name]
        rows = unit.sync.rows(table.table, ("id", column)) if held else []
        ids |= {row[1] for row in rows if table.key_of(row) in held}


Moves = Sequence[tuple[str, dict[str, Any]]]
_Successors = dict[str, set[str]]


def show(
    unit: Unit, name: str, shown: Shown, change: Callable[[Moves], None] | None = None
) -> None:
    """Put columns into rows and keep their true values; columns are given as they are stored."""
    if not shown:
        return
    table = MERGED[name]
    shadows = unit.sync.shadows(name, list(shown))
    rows = read_rows(unit, table, shown)
    changes: list[tuple[str, dict[str, Any]]] = []
    after = {}
    for key, columns in shown.items():
        row, shadow = rows.get(key), shadows.get(key)
        if row is None or shadow is None:
            continue
        stored, held = dict(zip(table.columns, row, strict=True)), Held.read(shadow)
        for column, value in columns.items():
            now = to_cell(table.kinds[column], stored[column])
            true = held.true.get(column, [now])[0]
            cell = to_cell(table.kinds[column], value)
            held.true.pop(column, None)
            if cell != true:
                held.true[column] = [true, cell]
        if different := {c: value for c, value in columns.items() if stored[c] != value}:
            changes.append((key, different))
        stored |= columns
        marks = shadow.marks.split()
        values = [stored[column] for column in table.columns]
        for n, place in enumerate(table.places):
            shows = not set(columns).isdisjoint(table.groups[n].columns)
            if shows and mark_of(row[place]) == marks[n]:  # else it is still to be captured
                marks[n] = mark_of(values[place])
        after[key] = shadow._replace(marks=" ".join(marks), held=str(held))
    if change is None:
        for key, different in changes:
            unit.sync.change(table.table, table.to_filter(rows[key]), different)
    else:
        change(changes)
    unit.sync.put_shadows(name, {key: new for key, new in after.items() if new != shadows[key]})


def true_values(unit: Unit, name: str, ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """The true values of columns that are shown otherwise, by row."""
    table, values = MERGED[name], {}
    for key, shadow in unit.sync.shadows(name, ids).items():
        if '"true"' in shadow.held:
            true = Held.read(shadow).true
            values[key] = {c: from_cell(table.kinds[c], cells[0], c) for c, cells in true.items()}
    return values


# --- places --------------------------------------------------------------------------------------


class _Places(NamedTuple):
    """A table whose rows have places among those of one parent, and the order of time."""

    name: str
    parent: str
    place: str
    order: tuple[str, ...]


_TURNS = _Places("turns", "session", "idx", ("at", "id"))
_EVENTS = _Places("events", "operation_id", "step", ("step", "id"))


def _settle_places(
    unit: Unit, places: _Places, parents: Collection[str], *, captured: bool
) -> None:
    """Rows keep the places they were given while those differ; else they are placed in order."""
    name, parent, place, order = places
    columns = ("id", parent, place, "at")
    table = MERGED[name].table
    rows = [dict(zip(columns, row, strict=True)) for row in unit.sync.rows_in(
        table, columns, parent, parents)]  # fmt: skip
    ids = [row["id"] for row in rows]
    true, shadows = true_values(unit, name, ids), unit.sync.shadows(name, ids)
    families: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        families[row[parent]].append(row | true.get(row["id"], {}) | {"shown": row[place]})
    shown: Shown = {}
    for family in families.values():
        if not all(row["id"] in shadows for row in family):
            if captured:
                raise ChangedMeanwhile
            continue
        distinct = len({row[place] for row in family}) == len(family)
        ordered = sorted(family, key=lambda row: tuple(row[column] for column in order))
        for number, row in enumerate(ordered):
            wanted = row[place] if distinct else number
            if wanted != row["shown"] or row["id"] in true:
                shown[row["id"]] = {place: wanted}

    def change(changes: Moves) -> None:
        at = {row["id"]: {"at": row["at"]} if name == "events" else {} for row in rows}
        for step in (True, False):  # by way of places that nobody has, since two rows may change
            for number, (id_, values) in enumerate(changes):
                aside = {place: 2 * _FREE + number}
                unit.sync.change(table, {"id": id_, **at[id_]}, aside if step else values)

    show(unit, name, shown, change)


def free_places(unit: Unit, name: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """For new rows whose place is taken, here or by another of them, one that nobody has."""
    _, parent, place, _ = _TURNS if name == "turns" else _EVENTS
    table = MERGED[name].table
    parents = {str(row[parent]) for row in rows}
    taken = set(unit.sync.rows_in(table, (parent, place), parent, parents))
    aside: dict[str, int] = {}
    high = max([_FREE, *(number for _, number in taken)]) + 1
    for row in rows:
        if (row[parent], row[place]) in taken:
            aside[row["id"]] = high = high + 1
        else:
            taken.add((row[parent], row[place]))
    return aside


def _settle_sessions(unit: Unit, sessions: Collection[str]) -> None:
    """A session lasts from its first turn to its last, whoever recorded them."""
    table, columns = MERGED["sessions"], ("started_at", "last_at")
    rows = unit.sync.rows(table.table, ("id", *columns), sessions)
    true = true_values(unit, "sessions", [table.key_of(row) for row in rows])
    spans = unit.sync.spans(sessions)
    shown: Shown = {}
    for id_, *times in rows:
        key = table.key_of((id_,))
        actual = dict(zip(columns, times, strict=True)) | true.get(key, {})
        wanted = dict(zip(columns, spans.get(id_, tuple(actual.values())), strict=True))
        if list(wanted.values()) != times or key in true:
            shown[key] = wanted
    show(unit, "sessions", shown)


def _settle_stretches(unit: Unit, sessions: Collection[str]) -> None:
    """One episode of a stretch may name its last turn; the others go without."""
    columns = ("id", "session", "source", "last_turn")
    rows = unit.sync.rows_in(MERGED["episodes"].table, columns, "session", sessions)
    true = true_values(unit, "episodes", [row[0] for row in rows])
    taken: set[tuple[str, str, str]] = set()
    shown: Shown = {}
    for id_, session, source, last_turn in sorted(rows):
        actual = true.get(id_, {}).get("last_turn", last_turn)
        wanted = "" if (session, source, actual) in taken else actual
        taken.add((session, source, actual))
        if wanted != last_turn or id_ in true:
            shown[id_] = {"last_turn": wanted}
    emptied = {id_: columns for id_, columns in shown.items() if not columns["last_turn"]}
    show(unit, "episodes", emptied)
    show(unit, "episodes", {id_: values for id_, values in shown.items() if id_ not in emptied})


# --- versions and contradictions -----------------------------------------------------------------


class _Fact(NamedTuple):
    """A memory as the devices agree on it."""

    id: str
    kind: str
    content: str
    subject: str
    predicate: str
    project: str
    slot: str
    value: str
    trust: Any
    created_at: int
    valid_from: int
    status: str
    valid_to: int | None
    superseded_at: int | None
    superseded_by: str

    @property
    def holds(self) -> bool:
        return self.status == "active" and not self.superseded_by

    @property
    def order(self) -> tuple[int, int, str]:
        """By when it became true, then by when it was learned."""
        return self.valid_from, self.created_at, self.id


def _settle_memories(unit: Unit, touched: Collection[str]) -> None:
    facts, successors = _load_facts(unit, touched)
    states = {id_: fact for id_, fact in facts.items() if fact.holds}
    _join_repeated(states)
    for later in successors.values():
        versions = [states[id_] for id_ in later if id_ in states and states[id_].holds]
        for fact, by in pairwise(sorted(versions, key=lambda fact: fact.order)):
            _replace(states, fact, by)
    changed = {id_ for later in successors.values() for id_ in later}
    slots: dict[tuple[str, str], list[_Fact]] = defaultdict(list)
    for fact in states.values():
        if fact.slot and fact.holds and has_one_answer(fact.predicate):
            slots[fact.slot, fact.project].append(fact)
    for answers in slots.values():
        _choose(states, answers, changed)
    true = true_values(unit, "memories", list(facts))
    shown: Shown = {}
    for id_, fact in facts.items():
        state = states.get(id_, fact)
        if state != fact or id_ in true:
            shown[id_] = {name: getattr(state, name) for name in _STATE}
    show(unit, "memories", shown)


def _load_facts(unit: Unit, touched: Collection[str]) -> tuple[dict[str, _Fact], _Successors]:
    """Every memory that a decision on these may depend on, and what replaced each."""
    table = MERGED["memories"].table
    facts: dict[str, _Fact] = {}
    successors: _Successors = {}
    waiting = set(touched)
    while waiting:
        rows = unit.sync.rows(table, _Fact._fields, waiting)
        true = true_values(unit, "memories", list(waiting))
        new = [_Fact(*row)._replace(**true.get(row[0], {})) for row in rows]
        facts |= {fact.id: fact for fact in new}
        replaced = unit.sync.find_successors(list(waiting))
        successors |= replaced
        linked = {id_ for later in replaced.values() for id_ in later}
        linked |= {fact.superseded_by for fact in new if fact.superseded_by}
        # Whatever became of an answer: others may have waited because of it.
        slots = {fact.slot for fact in new if fact.slot and has_one_answer(fact.predicate)}
        if slots:
            linked |= {id_ for (id_,) in unit.sync.rows_in(table, ("id",), "slot", slots)}
        texts = {fact.content for fact in new if fact.holds}
        if texts:
            linked |= {id_ for (id_,) in unit.sync.rows_in(table, ("id",), "content", texts)}
        linked |= {id_ for (id_,) in unit.sync.rows_in(
            table, ("id",), "superseded_by", [fact.id for fact in new])}  # fmt: skip
        waiting = linked - facts.keys() - waiting
    return facts, successors


def _replace(states: dict[str, _Fact], fact: _Fact, by: _Fact) -> None:
    until = by.valid_from if fact.valid_to is None else min(fact.valid_to, by.valid_from)
    states[fact.id] = fact._replace(
        status="superseded",
        superseded_by=by.id,
        superseded_at=max(fact.created_at, by.created_at),
        valid_to=max(until, fact.valid_from),
    )


def _join_repeated(states: dict[str, _Fact]) -> None:
    """Of one statement that several devices have learned, the first stays."""
    first: dict[tuple[str, ...], _Fact] = {}
    for fact in sorted(states.values(), key=lambda fact: (fact.created_at, fact.id)):
        same = (fact.kind, fact.project, fact.subject, fact.content)
        if same in first:
            _replace(states, fact, first[same])
        else:
            first[same] = fact


def _choose(states: dict[str, _Fact], answers: Sequence[_Fact], changed: Collection[str]) -> None:
    """Of several answers the latest that agrees or names a change holds; others wait."""
    current, *later = sorted(answers, key=lambda fact: fact.order)
    for fact in later:
        same = bool(fact.value and same_value(fact.value, current.value))
        if may_overrule(fact.trust, current.trust) and (same or fact.id in changed):
            _replace(states, current, fact)
            current = fact
        else:
            states[fact.id] = fact._replace(status="pending")
