"""Where names are kept, and giving them others.

A name says what something is called, not what was said: of a session, a sender, a project, a tool.
Forgetting replaces a name wherever it stands; what it belonged to stays what it was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from mnemic.rules.slots import slot_of
from mnemic.store import codec
from mnemic.store.rows import TABLES, Name, NameKind, Removal
from mnemic.store.sql.part import Part, SqlRows, read_statements
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
        unused = {Name("session", text) for text in self._ended(removal)}
        unused |= self._lost("sender", "turns", "sender", removal)
        unused |= self._lost("channel", "turns", "channel", removal)
        unused |= self._lost("tool", "turn_tools", "name", removal)
        ended = [name.text for name in unused if name.kind == "session"]
        kinds: tuple[NameKind, ...] = ("project", "topic")
        for kind in kinds:
            names = self._column(
                f"SELECT {kind} FROM memories WHERE space = :space"
                " AND id IN (SELECT value FROM json_each(:ids))"
                f" UNION SELECT {kind} FROM sessions WHERE space = :space"
                " AND id IN (SELECT value FROM json_each(:ended))"
                f" EXCEPT SELECT {kind} FROM memories WHERE space = :space"
                " AND id NOT IN (SELECT value FROM json_each(:ids))"
                f" EXCEPT SELECT {kind} FROM sessions WHERE space = :space"
                " AND id NOT IN (SELECT value FROM json_each(:ended))",
                ids=list(removal.memories),
                ended=ended,
            )
            unused |= {Name(kind, text) for text in names if text}
        return unused

    def _ended(self, removal: Removal) -> set[str]:
        """Sessions without a turn, a memory or a file that stays."""
        ended = set(removal.sessions) | set(self._column("ended", ids=list(removal.turns)))
        types: tuple[RecordType, ...] = ("memory", "attachment")
        for type_ in types:
            if ended:
                ended -= set(
                    self._column(
                        f"SELECT DISTINCT session FROM {TABLES[type_]} WHERE space = :space"
                        " AND session != '' AND id NOT IN (SELECT value FROM json_each(:ids))",
                        ids=list(removal.of(type_)),
                    )
                )
        return ended

    def _lost(self, kind: NameKind, table: str, column: str, removal: Removal) -> set[Name]:
        """Names that turns have, and no other turn has."""
        if not removal.turns:
            return set()
        docs = self._unit.eraser.docs("turn", removal.turns)
        names = self._column(
            f"SELECT DISTINCT {column} FROM {table} WHERE space = :space AND {column} != ''"
            " AND doc IN (SELECT atom FROM json_each(:docs))",
            docs=docs,
        )
        others = (
            f"FROM {table} WHERE space = :space AND doc NOT IN (SELECT atom FROM json_each(:docs))"
        )
        if len(names) > _FEW:
            kept = self._column(f"SELECT DISTINCT {column} {others}", docs=docs)
            return {Name(kind, text) for text in set(names).difference(kept)}
        holder = f"SELECT 1 {others} AND {column} = :name LIMIT 1"
        return {
            Name(kind, text)
            for text in names
            if self._run(holder, docs=docs, name=text).get is None
        }

    def bearing(self, names: Collection[Name]) -> dict[RecordType, list[str]]:
        """Records that have one of these names in a copy: index, vector or transcript."""
        return {
            type_: self._changed(type_, names, columns)
            for type_, columns in _BEARING.items()
            if any(name.kind in _KINDS[column] for name in names for column in columns)
        }

    def _changed(
        self, type_: RecordType, names: Collection[Name], columns: tuple[str, ...]
    ) -> list[str]:
        renamed = dict.fromkeys(names, EMPTY)
        rows = self._rows(f"SELECT id, {', '.join(columns)} FROM {TABLES[type_]} WHERE {{}}")
        return [
            id_
            for id_, *cells in rows
            if any(
                cell and _replaced(column, cell, renamed) != cell
                for column, cell in zip(columns, cells, strict=True)
            )
        ]

    # --- replacing ------------------------------------------------------------------------------

    def rename(self, names: Mapping[Name, SafeName]) -> None:
        """Put each name's replacement wherever it stands; an empty one takes the name away."""
        for name, after in names.items():
            for table, column in COLUMNS.get(name.kind, ()):
                self._make_way(table, column, name.text, after)
                self._run(
                    f"UPDATE {table} SET {column} = :after"
                    f" WHERE space = :space AND {column} = :before",
                    before=name.text,
                    after=after,
                )
        kinds = {name.kind for name in names}
        for type_, columns in _BEARING.items():
            listed = tuple(
                column for column in columns if column in _READERS and kinds & _KINDS[column]
            )
            if listed:
                self._rewrite(TABLES[type_], listed, names)
        if "predicate" in kinds:
            self._renew_slots({after for name, after in names.items() if name.kind == "predicate"})
        self._rename_events(names)
        if kinds & {"session", "host"}:
            self._rename_jobs(names)

    def _make_way(self, table: str, column: str, before: str, after: str) -> None:
        """Remove what already has the new name, where only one row can have it."""
        for rest in _KEYED.get((table, column), ()):
            same = "".join(f" AND o.{other} = {table}.{other}" for other in rest)
            self._run(
                f"DELETE FROM {table} WHERE space = :space AND {column} = :after"
                " AND :after != :before AND EXISTS (SELECT 1 FROM"
                f" {table} o WHERE o.space = :space AND o.{column} = :before{same})",
                before=before,
                after=after,
            )

    def _rewrite(self, table: str, columns: tuple[str, ...], names: Renamed) -> None:
        rows: list[Any] = self._rows(
            f"SELECT doc, {', '.join(columns)} FROM {table} WHERE {{}}"
        ).fetchall()
        for doc, *cells in rows:
            after = [
                cell and _replaced(column, cell, names)
                for column, cell in zip(columns, cells, strict=True)
            ]
            if after != cells:
                sets = ", ".join(f"{column} = ?" for column in columns)
                self._conn.execute(
                    f"UPDATE {table} SET {sets} WHERE +space = ? AND doc = ?",
                    (*after, self._space, doc),
                )

    def _renew_slots(self, predicates: set[str]) -> None:
        rows = self._run("renew_slots", predicates=predicates).fetchall()
        for id_, subject, predicate in rows:
            self._update("memories", id_, {"slot": slot_of(subject, predicate)})

    def _rename_events(self, names: Renamed) -> None:
        """Events about a session, and the types that a host gave its own."""
        listed = ", ".join(map(repr, (*_SESSION_EVENTS, *_RULE_EVENTS)))
        about = f"WHERE space = :space AND subject = :before AND type IN ({listed})"
        for name, after in names.items():
            values = {"before": name.text, "after": after}
            if name.kind == "host" and _is_of_host(name.text):
                self._run("rename_events", **values)
            elif name.kind == "session" and not after:  # there is nothing left that they tell of
                self._run(f"DELETE FROM events {about}", **values)
            elif name.kind == "session":
                self._run(f"UPDATE events SET subject = :after {about}", **values)

    def _rename_jobs(self, names: Renamed) -> None:
        """Work on a session is named after it; where nothing is left of it there is none. Work of a
        rule names the event that it answers.
        """
        rows: list[Any] = self._rows("SELECT id, key, payload FROM jobs WHERE {}").fetchall()
        for id_, key, stored in rows:
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

    # --- parts ----------------------------------------------------------------------------------

    def _rows(self, statement: str) -> SqlRows:
        return self._run(statement.replace("{}", "space = :space"))


def _is_of_host(type_: str) -> bool:
    """Whether a host named the type of an event itself."""
    return type_.startswith("host.")


def _replaced(column: str, cell: str, names: Renamed) -> str:
    """What a cell says with the names replaced; the same text where there is none in it."""
    if column in _WHOLE:
        return names.get(Name(_WHOLE[column], cell), cell)
    value = codec.load(cell)
    after = _READERS[column](value, names)
    return cell if after == value else codec.dump(after)


def _names_in(kind: NameKind) -> Callable[[Any, Renamed], Any]:
    def replaced(listed: Any, names: Renamed) -> Any:
        return [after for text in listed if (after := names.get(Name(kind, text), text))]

    return replaced


def _calls(calls: Any, names: Renamed) -> Any:
    return [
        {
            **call,
            "name": names.get(Name("tool", call["name"]), call["name"]),
            "input": {
                names.get(Name("parameter", key), key): value
                for key, value in call.get("input", {}).items()
            },
            "id": names.get(Name("tool call", call.get("id", "")), call.get("id", "")),
        }
        for call in calls
    ]


def _results(results: Any, names: Renamed) -> Any:
    def call(result: Any) -> str:
        id_ = str(result.get("call_id", ""))
        return names.get(Name("tool call", id_), id_)

    return [{**result, "call_id": call(result)} for result in results]


def _actions(actions: Any, names: Renamed) -> Any:
    return [
        {
            **action,
            "tool": names.get(Name("tool", action["tool"]), action["tool"]),
            "params": {
                names.get(Name("parameter", key), key): value
                for key, value in action.get("params", {}).items()
            },
        }
        for action in actions
    ]


# Columns of records with names that are in a copy, too: index, vector or transcript.
_BEARING: dict[RecordType, tuple[str, ...]] = {
    "turn": ("sender", "channel", "tool_calls", "tool_results"),
    "memory": ("predicate", "tags"),
    "episode": ("tools", "tags", "actions"),
    "attachment": ("path", "url", "tags"),
}
_WHOLE: dict[str, NameKind] = {
    "sender": "sender",
    "channel": "channel",
    "predicate": "predicate",
    "path": "address",
    "url": "address",
}
_READERS: dict[str, Callable[[Any, Renamed], Any]] = {
    "tool_calls": _calls,
    "tool_results": _results,
    "actions": _actions,
    "tools": _names_in("tool"),
    "tags": _names_in("tag"),
}
_KINDS: dict[str, set[NameKind]] = {
    **{column: {kind} for column, kind in _WHOLE.items()},
    "tool_calls": {"tool", "tool call", "parameter"},
    "tool_results": {"tool call"},
    "actions": {"tool", "parameter"},
    "tools": {"tool"},
    "tags": {"tag"},
}
