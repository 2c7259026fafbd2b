"""Where names are kept, and giving them others.

A name says what something is called, not what was said: of a session, a sender, a project, a tool.
Forgetting replaces a name wherever it stands; what it belonged to stays what it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from mnemic.rules.slots import slot_of
from mnemic.store import codec
from mnemic.store.rows import TABLES, Name, NameKind, Removal
from mnemic.store.sql.part import Part, read_statements
from mnemic.store.transfer import columns_with
from mnemic.types import EMPTY, RecordType, SafeName

# Columns that hold one name each.
COLUMNS: dict[Any, list[tuple[str, str]]] = {}
for _table, _column in columns_with("name"):
    COLUMNS.setdefault(_column.holds["name"], []).append((_table.name, _column.name))
# Which of them tell rows apart, with what beside them.
_KEYED: dict[tuple[str, str], tuple[tuple[str, ...], ...]] = {
    ("sessions", "id"): ((),),
    ("turn_tools", "name"): (("doc",),),
    ("echo_lines", "session"): (("line",),),
    ("events", "operation_id"): (("step",),),
    ("episodes", "session"): (("source", "last_turn"),),
}
_KINDS_IN_JSON: tuple[NameKind, ...] = ("tag", "tool call", "parameter")
_SESSION_EVENTS = ("session.ended", "retry")
_RULE_EVENTS = ("notice", "rule.asked", "rule.done", "rule.approved")
_FEW = 20  # names that are looked for one by one, up to the first that is found

Renamed = Mapping[Name, SafeName]
Places = NameKind | Mapping[str, NameKind]
_OF_SPACE = "WHERE space = :space"


class SqlNames(Part):
    """The names of one space on one connection."""

    statements = read_statements("sql/names")

    # --- finding --------------------------------------------------------------------------------

    def all(self, kinds: Collection[NameKind] | None = None) -> Iterator[Name]:
        """Every name of the space, or those of some kinds, each once."""
        for kind in kinds or (*COLUMNS, *_KINDS_IN_JSON):
            statement = self.statements.get(f"every {kind}") or " UNION ".join(
                f"SELECT DISTINCT {column} FROM {table} WHERE space = :space"
                for table, column in COLUMNS[kind]
            )
            yield from (Name(kind, text) for text in self._column(statement) if text)

    def only_in(self, removal: Removal) -> set[Name]:
        """Names that nothing has any more once these records are gone."""
        unused = {Name("session", text) for text in self._find_ended(removal)}
        unused |= self._find_lost("sender", "turns", "sender", removal)
        unused |= self._find_lost("channel", "turns", "channel", removal)
        unused |= self._find_lost("tool", "turn_tools", "name", removal)
        ended = [name.text for name in unused if name.kind == "session"]
        kinds: tuple[NameKind, ...] = ("project", "topic")
        for kind in kinds:
            names = self._column(
                self._sql("only_in", kind=kind), ids=list(removal.memories), ended=ended
            )
            unused |= {Name(kind, text) for text in names if text}
        return unused

    def _find_ended(self, removal: Removal) -> set[str]:
        """Sessions without a turn, a memory or a file that stays."""
        ended = set(removal.sessions) | set(self._column("ended", ids=list(removal.turns)))
        types: tuple[RecordType, ...] = ("memory", "attachment")
        for type_ in types if ended else ():
            statement = self._sql("sessions_left", table=TABLES[type_])
            ended -= set(self._column(statement, ids=list(removal.of(type_))))
        return ended

    def _find_lost(self, kind: NameKind, table: str, column: str, removal: Removal) -> set[Name]:
        """Names that turns have, and no other turn has."""
        if not removal.turns:
            return set()
        docs = self._unit.eraser.docs("turn", removal.turns)
        place = {"table": table, "column": column}
        names = self._column(self._sql("names_of_docs", **place), docs=docs)
        if len(names) > _FEW:
            kept = self._column(self._sql("names_of_others", **place), docs=docs)
            return {Name(kind, text) for text in set(names).difference(kept)}
        holder = self._sql("has_another", **place)
        return {
            Name(kind, text)
            for text in names
            if self._run(holder, docs=docs, name=text).get is None
        }

    def bearing(self, names: Collection[Name]) -> dict[RecordType, list[str]]:
        """Records that have one of these names in a copy: index, vector or transcript."""
        return {
            type_: [id_ for id_, _ in self._rename_in(type_, columns, dict.fromkeys(names, EMPTY))]
            for type_, columns in _BEARING.items()
            if any(name.kind in _KINDS[column] for name in names for column in columns)
        }

    def _rename_in(
        self, type_: RecordType, columns: Sequence[str], names: Renamed
    ) -> Iterator[tuple[str, dict[str, str]]]:
        """The records that these columns of change with the names, and what they hold then."""
        for id_, *cells in self._run(
            f"SELECT id, {', '.join(columns)} FROM {TABLES[type_]} {_OF_SPACE}"
        ):
            after = [
                cell and _replace(column, cell, names)
                for column, cell in zip(columns, cells, strict=True)
            ]
            if after != cells:
                yield id_, dict(zip(columns, after, strict=True))

    # --- replacing ------------------------------------------------------------------------------

    def rename(self, names: Mapping[Name, SafeName]) -> None:
        """Put each name's replacement wherever it stands; an empty one takes the name away."""
        for name, after in names.items():
            for table, column in COLUMNS.get(name.kind, ()):
                self._make_way(table, column, name.text, after)
                statement = self._sql("rename", table=table, column=column)
                self._run(statement, before=name.text, after=after)
        kinds = {name.kind for name in names}
        for type_, columns in _BEARING.items():
            affected = [c for c in columns if c in _IN_JSON and kinds & _KINDS[c]]
            for id_, cells in list(self._rename_in(type_, affected, names)) if affected else ():
                self._update(TABLES[type_], id_, cells)
        if "predicate" in kinds:
            predicates = {after for name, after in names.items() if name.kind == "predicate"}
            for id_, subject, predicate in self._run("of_predicates", listed=predicates).fetchall():
                self._update("memories", id_, {"slot": slot_of(subject, predicate)})
        self._rename_events(names)
        if kinds & {"session", "host"}:
            self._rename_jobs(names)

    def _make_way(self, table: str, column: str, before: str, after: str) -> None:
        """Remove what already has the new name, where only one row can have it."""
        for others in _KEYED.get((table, column), ()):
            same = "".join(f" AND o.{other} = {table}.{other}" for other in others)
            statement = self._sql("make_way", table=table, column=column, same=same)
            self._run(statement, before=before, after=after)

    def _rename_events(self, names: Renamed) -> None:
        """Events about a session, and the types that a host gave its own."""
        types = ", ".join(map(repr, (*_SESSION_EVENTS, *_RULE_EVENTS)))
        about = f"WHERE space = :space AND subject = :before AND type IN ({types})"
        for name, after in names.items():
            values = {"before": name.text, "after": after}
            if name.kind == "host" and name.text.startswith("host."):
                self._run("rename_events", **values)
            elif name.kind == "session" and not after:  # there is nothing left that they tell of
                self._run(f"DELETE FROM events {about}", **values)
            elif name.kind == "session":
                self._run(f"UPDATE events SET subject = :after {about}", **values)

    def _rename_jobs(self, names: Renamed) -> None:
        """Jobs are named after their session, and a rule's after the event it answers."""
        for id_, key, stored in self._run("every_job").fetchall():
            before = codec.load_mapping(stored)
            payload = {
                name: names.get(Name("host", str(value)), value)
                if name in ("type", "subject")
                else value
                for name, value in before.items()
            }
            field = "session" if "session" in payload else "subject" if "rule" in payload else ""
            session = str(payload.get(field, ""))
            after = names.get(Name("session", session)) if session else None
            if after == "":
                self._run("drop_job", id=id_)
                continue
            name, line, rest = key.partition("\n")
            if after is not None:
                payload[field] = after
                key = f"{after}{line}{rest}" if name == session else key  # noqa: PLW2901
            if payload != before or after is not None:
                self._run("rename_job", id=id_, key=key, payload=payload)


def _replace(column: str, cell: str, names: Renamed) -> str:
    """What a cell says with the names replaced; the same text where there is none in it."""
    if column in _WHOLE:
        return names.get(Name(_WHOLE[column], cell), cell)
    value = codec.load(cell)
    places = _IN_JSON[column]
    after = [_replace_item(item, places, names) for item in value]
    if isinstance(places, str):
        after = [name for name in after if name]
    return cell if after == value else codec.dump(after)


def _replace_item(item: Any, places: Places, names: Renamed) -> Any:
    """A name, or an object with names as some values or as the keys of one."""
    if isinstance(places, str):
        return names.get(Name(places, item), item)
    replaced = dict(item)
    for field, kind in places.items():
        value = item.get(field, "")
        if isinstance(value, dict):
            renamed = {names.get(Name(kind, key), key): inner for key, inner in value.items()}
            replaced[field] = renamed
        elif (name := Name(kind, str(value))) in names:
            replaced[field] = names[name]
    return replaced


def _read_places(listed: Any) -> Any:
    """The kind of the names in a list, or by field those in its objects."""
    fields = [field.partition("=") for field in listed.split(",")]
    return {name.replace(" ", "_"): kind for name, sign, kind in fields if sign} or listed


# Columns of records with names that are in a copy, too: by type, and what is in each of them.
_BEARING: dict[Any, list[str]] = {}
_WHOLE: dict[str, NameKind] = {}
_IN_JSON: dict[str, Places] = {}
for _table, _column in columns_with("copied"):
    _BEARING.setdefault(_table.record, []).append(_column.name)
    _marks: Mapping[str, Any] = _column.holds
    if "name" in _marks:
        _WHOLE[_column.name] = _marks["name"]
    else:
        _IN_JSON[_column.name] = _read_places(_marks["names"])
_KINDS: dict[str, set[NameKind]] = {
    **{column: {kind} for column, kind in _WHOLE.items()},
    **{
        column: {places} if isinstance(places, str) else set(places.values())
        for column, places in _IN_JSON.items()
    },
}
