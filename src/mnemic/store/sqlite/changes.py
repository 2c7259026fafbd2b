"""Notes which rows were changed, so that an exchange with other devices need not look at them all.

By triggers of the connection that writes, since those of a file are never run, and only where the
space has a device to exchange its rows from.
"""

from __future__ import annotations

from collections.abc import Iterator

import apsw

# What stands for a row. A session is noted by its number, since its id is a name that people gave;
# a table with few rows is noted as a whole.
_KEYS = {
    "sessions": "{}.number",
    "turns": "{}.id",
    "memories": "{}.id",
    "memory_sources": "{0}.memory || char(31) || {0}.turn",
    "episodes": "{}.id",
    "attachments": "{}.id",
    "events": "{}.id",
    "daily_events": "{}.id",
    "usage": "{}.id",
    "scratchpads": "''",
    "document_choices": "''",
    "onboarding": "''",
    "counters": "''",
}
_TRIGGER = """
CREATE TEMP TRIGGER note_{name} AFTER {change} ON {table}
WHEN EXISTS (SELECT 1 FROM main.sync_devices WHERE space = {row}.space AND own = 1) BEGIN
    INSERT INTO sync_changes (space, tbl, key) VALUES ({row}.space, '{table}', {key})
    ON CONFLICT DO NOTHING;
END;
"""


def _list_triggers() -> Iterator[tuple[str, str]]:
    for table, key in _KEYS.items():
        for change, row in (("INSERT", "new"), ("UPDATE", "new"), ("UPDATE", "old"),
                            ("DELETE", "old")):  # fmt: skip
            noted, name = key.format(row), f"{table}_{change}_{row}"
            when = change
            if table == "sessions" and row == "old":  # its number no longer tells its old id
                when, noted = change.replace("UPDATE", "UPDATE OF id"), "''"
            elif change == "UPDATE" and row == "old" and table != "memory_sources":
                continue  # ids stay
            yield table, _TRIGGER.format(name=name, change=when, table=table, row=row, key=noted)


_TRIGGERS = tuple(_list_triggers())


def note_changes(conn: apsw.Connection) -> None:
    """Note what a connection changes from now on; a damaged file may lack a table."""
    there = {name for (name,) in conn.execute("SELECT name FROM main.sqlite_schema")}
    conn.execute("".join(trigger for table, trigger in _TRIGGERS if table in there))
