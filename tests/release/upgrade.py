"""Databases of older versions, opened by the installed package; and one of a newer version."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tests.fixtures.build import FOLDER
from tests.release.environments import Environment

_LIBRARY = """
import mnemic
with mnemic.open("old.db", worker="none") as mind:
    before = mind.stats()
    mind.record(session="new", role="user", text="We moved to Python 3.12")
    assert "We moved to Python 3.12" in [hit.text for hit in mind.recall("which Python")]
    assert mind.stats().turns == before.turns + 1 > 1 and before.memories
"""


def faults(environment: Environment, place: Path) -> Iterator[str]:
    """What is wrong with an old or a new database under this package."""
    for old in sorted(FOLDER.glob("schema-*.db")):
        folder = place / old.stem
        folder.mkdir(parents=True)
        shutil.copy(old, folder / "old.db")
        checked = environment.run("mnemic", "doctor", "--db", "old.db", "--json", folder=folder)
        if checked.returncode or not json.loads(checked.stdout)["ok"]:
            yield f"{old.name}, by the command: {checked.stdout[-500:]}{checked.stderr[-500:]}"
        used = environment.run("python", "-c", _LIBRARY, folder=folder)
        if used.returncode:
            yield f"{old.name}, by the library: {used.stderr[-1000:]}"
    yield from _newer(environment, place / "schema-0001" / "old.db")


def _newer(environment: Environment, path: Path) -> Iterator[str]:
    with closing(sqlite3.connect(path)) as conn:
        (version,) = conn.execute("PRAGMA user_version").fetchone()
        conn.execute(f"PRAGMA user_version = {version + 1}")
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.read_bytes()
    refused = environment.run("mnemic", "stats", "--db", path.name, folder=path.parent)
    if not refused.returncode or not re.search(r"pip install.*mnemic", refused.stderr):
        yield f"a newer database was not refused: {refused.stdout}{refused.stderr}"
    if path.read_bytes() != before:
        yield "a newer database was changed"
