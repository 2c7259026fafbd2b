"""What a space knows of its devices, and its rows as they are exchanged with them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from secrets import token_hex
from typing import Any, NamedTuple

from mnemic.store import codec
from mnemic.store.rows import TABLES, Removal
from mnemic.store.sql.part import Part, read_statements
from mnemic.store.sql.transfer import read_column
from mnemic.store.transfer import MovedTable
from mnemic.types import RECORD_TYPES

_SESSION = "(SELECT number FROM sessions WHERE space = :space AND id = :session)"


PARKED = "-"


class Shadow(NamedTuple):
    """A row as it was last exchanged, without its text: see sync_rows in docs/schema.md."""

    marks: str
    stamps: str
    held: str

    @property
    def is_gone(self) -> bool:
        return not self.marks

    @property
    def is_parked(self) -> bool:
        """Whether only later changes of it are known, and not the row itself."""
        return self.marks == PARKED


class Device(NamedTuple):
    """A device that this memory is on: ``clock`` is its last change file that is known here,
    ``removed`` the last one that is taken from it, -1 while it was not removed.
    """

    device: str
    name: str
    own: int
    clock: int
    at: int
    removed: int = -1
    public: str = ""


class ChangeFile(NamedTuple):
    """A change file of this device; ``sha256`` is empty until it was written."""

    number: int
    before: int
    seen: str
    sha256: str
    bytes: int
    stale: int


class ForgottenRows(NamedTuple):
    """Something that was forgotten on a device, without any of it."""

    receipt: str
    device: str
    number: int
    body: str
    counts: str
    confirmed: str
    at: int


class SqlSync(Part):
    """The exchange of one space on one connection."""

    statements = read_statements("sql/sync")

    # --- rows -----------------------------------------------------------------------------------

    def rows(
        self, table: MovedTable, columns: Sequence[str], keys: Collection[str] | None = None
    ) -> list[tuple[Any, ...]]:
        """Stored columns of all rows or of those with these first keys; events go by ids."""
        if keys is None:
            return self._rows(table, columns, "+r.space = :space")
        named = "id" if table.name == "events" else table.key[0]
        listed = f"r.{named} IN (SELECT value FROM json_each(:keys))"
        return self._rows(table, columns, f"r.space = :space AND {listed}", keys=list(keys))

    def _rows(
        self, table: MovedTable, columns: Sequence[str], condition: str, **values: Any
    ) -> list[tuple[Any, ...]]:
        cells = ", ".join(read_column(table, name) for name in columns)
        statement = f"SELECT {cells} FROM {table.name} r WHERE {condition}"
        return self._run(statement, **values).fetchall()

    def rows_in(
        self, table: MovedTable, columns: Sequence[str], column: str, values: Collection[str]
    ) -> list[tuple[Any, ...]]:
        """Columns of the rows that have one of the values in a column."""
        wanted = "SELECT value FROM json_each(:values)"
        if table.name == "turns" and column == "session":
            wanted = f"SELECT number FROM sessions WHERE space = :space AND id IN ({wanted})"
        condition = f"r.space = :space AND r.{column} IN ({wanted})"
        return self._rows(table, columns, condition, values=list(values))

    def change(self, table: MovedTable, key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Put stored values into a row that is there."""
        session = {"session": _SESSION} if table.name == "turns" else {}
        named = ", ".join(f"{name} = {session.get(name, f':{name}')}" for name in values)
        reset = ", wording = NULL" if table.name == "memories" and "content" in values else ""
        condition = "".join(f" AND {name} = :at_{name}" for name in key)
        statement = f"UPDATE {table.name} SET {named}{reset} WHERE space = :space{condition}"
        self._run(statement, **values, **{f"at_{name}": value for name, value in key.items()})

    def drop(self, table: MovedTable, keys: Iterable[Mapping[str, Any]]) -> None:
        for key in keys:
            condition = "".join(f" AND {name} = :{name}" for name in key)
            self._run(f"DELETE FROM {table.name} WHERE space = :space{condition}", **key)

    def shadows(self, table: str, keys: Collection[str] | None = None) -> dict[str, Shadow]:
        """What was exchanged of rows, by their keys."""
        statement = "shadows" if keys is None else "shadows_of"
        rows = self._run(statement, tbl=table, keys=list(keys or ()))
        return {key: Shadow(*rest) for key, *rest in rows}

    def load_held(self, table: str) -> dict[str, Shadow]:
        """The rows that are shown otherwise here."""
        return {key: Shadow(*rest) for key, *rest in self._run("shadows_held", tbl=table)}

    def list_changed(self) -> dict[str, dict[str, str]] | None:
        """The keys noted as changed, by table; None where every row has to be looked at."""
        keys: dict[str, dict[str, str]] = {}
        for table, key, session in self._run("changed"):
            keys.setdefault(table, {})[key] = session or key
        return None if "" in keys else keys

    def settle_changes(self, table: str, keys: Collection[str]) -> None:
        """What was noted of these has been looked at."""
        self._run("settle_changes", tbl=table, keys=list(keys))

    def look_again(self, table: str = "") -> None:
        """Have a table looked at as a whole, or all of them."""
        self._run("note_change", tbl=table, key="" if table else token_hex(4))

    def looks(self) -> list[str]:
        """What asks for all tables."""
        return self._column("looks")

    def put_shadows(self, table: str, shadows: Mapping[str, Shadow]) -> None:
        values = [{"space": self._space, "tbl": table, "key": key, **shadow._asdict()}
                  for key, shadow in shadows.items()]  # fmt: skip
        self._conn.executemany(self.statements["put_shadow"], values)

    def count_turns(self, sessions: Collection[str]) -> None:
        """Let sessions know their turns again; who speaks in them is read anew."""
        self._run("count_turns", sessions=list(sessions))

    def spans(self, sessions: Collection[str]) -> dict[str, tuple[int, int]]:
        """The times of the first and the last turn of those sessions that have any."""
        rows = self._run("spans", sessions=list(sessions))
        return {id_: (first, last) for id_, first, last in rows if first is not None}

    def next_turn(self) -> int:
        """The document that the next turn will be."""
        return self._next_doc("turn")

    def pass_over(self, sessions: Collection[str], first: int) -> None:
        """Leave turns to the device that recorded them, except where earlier ones wait here."""
        last = self._next_doc("turn") - 1
        self._run("pass_over", sessions=list(sessions), first=first, last=last)

    def find_successors(self, ids: Collection[str]) -> dict[str, set[str]]:
        """What took the place of memories, by the events of all devices."""
        successors: dict[str, set[str]] = {}
        for subject, payload in self._run("replaced_by", ids=list(ids)):
            by = codec.load_mapping(payload).get("by")
            successors.setdefault(subject, set()).update([str(by)] if by else [])
        return successors

    def bury(self, removal: Removal) -> None:
        """Note removed records by their ids, so that no other copy brings them back."""
        for table, ids in _by_table(removal).items():
            for id_ in ids:
                self._run("bury", tbl=table, key=id_)

    # --- devices, files, receipts ---------------------------------------------------------------

    def first_ids(self) -> tuple[str | None, str | None]:
        """The ids of the first turn and the first memory, which copies of a database share."""
        turn, memory = self._run("first_ids").fetchone()
        return turn, memory

    def devices(self) -> dict[str, Device]:
        return {row[0]: Device(*row) for row in self._run("devices")}

    def put_device(self, device: Device) -> None:
        self._put("sync_devices", device._asdict(), ("device",))

    def files(self) -> dict[int, ChangeFile]:
        return {row[0]: ChangeFile(*row) for row in self._run("files")}

    def put_file(self, file: ChangeFile) -> None:
        self._put("sync_files", file._asdict(), ("number",))

    def drop_files(self, numbers: Collection[int]) -> None:
        self._run("drop_files", numbers=list(numbers))

    def soil_files(self, rows: Mapping[int, int]) -> None:
        """Note that so many rows of changes with these numbers were changed or removed since."""
        for file in self.files().values() if rows else ():
            stale = sum(n for number, n in rows.items() if file.before < number <= file.number)
            if stale:
                self.put_file(file._replace(stale=file.stale + stale))

    def receipts(self) -> dict[str, ForgottenRows]:
        return {row[0]: ForgottenRows(*row) for row in self._run("receipts")}

    def put_receipt(self, forgotten: ForgottenRows) -> None:
        self._put("sync_receipts", forgotten._asdict(), ("receipt",))

    def note_forgotten(self, receipt: str, removal: Removal, traces: Any, at: datetime) -> None:
        """Let the other devices forget it too; without any, what ``bury`` noted is enough."""
        me = next((device for device in self.devices().values() if device.own), None)
        if me is not None:
            body = codec.dump({"ids": _by_table(removal), "traces": traces})
            micros = codec.to_micros(at)
            self.put_receipt(ForgottenRows(receipt, me.device, 0, body, "{}", "{}", micros))


def _by_table(removal: Removal) -> dict[str, list[str]]:
    ids = {TABLES[type_]: list(removal.of(type_)) for type_ in RECORD_TYPES}
    return {**ids, "daily_events": list(removal.daily_events)}
