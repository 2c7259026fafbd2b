"""A database or backup whose schema somebody changed: refused by every door, and never run."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

import mnemic
from mnemic.errors import NotADatabase
from mnemic.moving.backup import restore
from mnemic.moving.copy import copy_space
from mnemic.store.sqlite import migrate
from tests.conftest import OpenMind
from tests.fixtures import build

pytestmark = [
    pytest.mark.feature("O3"),
    pytest.mark.sqlite_file("schema objects planted into the file itself"),
]

PLANTED = {
    "trigger rewrite_all": "CREATE TRIGGER rewrite_all AFTER INSERT ON memories"
    " BEGIN UPDATE turns SET content = 'pwned'; END",
    "view spaces_seen": "CREATE VIEW spaces_seen AS SELECT * FROM spaces",
    "table notes_of_mine": "CREATE TABLE notes_of_mine (a)",
    "index by_length": "CREATE INDEX by_length ON turns (length(content))",
    "table cards": "ALTER TABLE cards ADD COLUMN extra TEXT DEFAULT 'x'",
}


def plant(path: Path, statement: str) -> None:
    conn = apsw.Connection(str(path))
    conn.execute(statement)
    conn.close()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "m.db"
    with mnemic.open(path, worker="none") as mind:
        mind.record(session="s", role="user", text="The ferry leaves at nine")
    return path


@pytest.mark.parametrize(("name", "statement"), PLANTED.items(), ids=list(PLANTED))
def test_a_changed_schema_is_refused_by_open_restore_and_copy(
    database: Path, tmp_path: Path, name: str, statement: str
) -> None:
    plant(database, statement)
    before = database.read_bytes()
    with pytest.raises(NotADatabase, match=name) as refused:
        mnemic.open(database, worker="none")
    assert "backup" in refused.value.remedy
    with pytest.raises(NotADatabase, match=name):
        restore(database, tmp_path / "restored.db")
    with pytest.raises(NotADatabase, match=name):
        copy_space(database, tmp_path / "copied.db")
    assert not (tmp_path / "restored.db").exists()
    assert not (tmp_path / "copied.db").exists()
    assert database.read_bytes() == before, "it is left as it was"


def test_an_older_database_with_a_view_is_refused_before_it_is_migrated(tmp_path: Path) -> None:
    path = Path(shutil.copy(build.path_of(5), tmp_path / "old.db"))
    plant(path, "CREATE VIEW everything AS SELECT * FROM turns")
    before = path.read_bytes()
    with pytest.raises(NotADatabase, match="view everything"):
        mnemic.open(path, worker="none")
    assert path.read_bytes() == before


def test_a_trigger_planted_while_it_is_open_never_runs_and_the_doctor_names_it(
    open_mind: OpenMind, database: Path
) -> None:
    mind = open_mind(database)
    plant(database, PLANTED["trigger rewrite_all"])
    mind.remember("likes the early ferry", kind="preference")
    assert [turn.text for turn in mind.turns()] == ["The ferry leaves at nine"]
    (schema,) = [finding for finding in mind.doctor() if finding.check == "schema"]
    assert not schema.ok
    assert "trigger rewrite_all" in schema.detail
    assert "backup" in schema.remedy


@pytest.mark.parametrize("statement", ["ANALYZE", "DROP INDEX turns_by_time"])
def test_statistics_and_missing_parts_are_not_foreign(database: Path, statement: str) -> None:
    plant(database, statement)
    with mnemic.open(database, worker="none") as mind:
        assert len(mind.turns()) == 1


def test_the_noted_digest_is_that_of_the_latest_schema(database: Path) -> None:
    """When this fails after a migration, note the digest that is printed in migrate.py."""
    conn = apsw.Connection(str(database))
    assert migrate.digest_of(migrate.objects_of(conn)) == migrate.DIGEST
