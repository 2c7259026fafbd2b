"""Schema versions: forward, whole, from every version that was ever released."""

from __future__ import annotations

import re
import shutil
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

import mnemic
from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.store.sqlite import migrate
from tests.conftest import OpenMind
from tests.evidence import by_words
from tests.fixtures import build

pytestmark = [
    pytest.mark.feature("O3"),
    pytest.mark.sqlite_file("the schema of a server: tests/postgres/test_opening.py"),
]

SCHEMA = Path(migrate.__file__).parent / "schema"
VERSIONS = range(1, migrate.LATEST + 1)


def test_migrations_are_numbered_without_a_gap_up_to_the_latest() -> None:
    names = sorted(path.name for path in SCHEMA.iterdir() if path.suffix == ".sql")
    assert names == [*(f"{version:04}.sql" for version in VERSIONS), "latest.sql"]


def test_every_earlier_version_has_its_database() -> None:
    """The present one has to have its own before the next begins."""
    there = {version for version in VERSIONS if build.path_of(version).exists()}
    assert there >= set(VERSIONS[:-1])
    assert len(list(build.FOLDER.glob("*.db"))) == len(there)


@pytest.fixture(params=[version for version in VERSIONS if build.path_of(version).exists()])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the database that a release with that schema wrote."""
    return Path(shutil.copy(build.path_of(request.param), tmp_path / "old.db"))


@pytest.fixture(scope="module")
def upgraded_files() -> dict[bytes, Path]:
    """What became of each of them, upgraded once."""
    return {}


@pytest.fixture
def upgraded(
    old: Path,
    open_mind: OpenMind,
    clock: ManualClock,
    upgraded_files: dict[bytes, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Mind:
    clock.set(build.START + timedelta(hours=1, minutes=1))
    before = old.read_bytes()
    if before not in upgraded_files:
        upgraded_files[before] = tmp_path_factory.mktemp("upgraded") / "old.db"
        open_mind(old).close()
        shutil.copy(old, upgraded_files[before])
    shutil.copy(upgraded_files[before], old)
    return open_mind(old)


def test_it_becomes_the_latest(upgraded: Mind, old: Path) -> None:
    assert upgraded.stats().schema == migrate.LATEST
    assert [finding for finding in upgraded.doctor() if not finding.ok] == []
    upgraded.close()
    assert migrate.inspect(str(old)) == migrate.LATEST
    assert applied(old) == list(VERSIONS)


def test_it_has_the_schema_of_a_new_file(
    upgraded: Mind, old: Path, open_mind: OpenMind, tmp_path: Path
) -> None:
    """Also says that a version that is not released yet changed: then build its database again."""
    upgraded.close()
    fresh = tmp_path / "fresh.db"
    open_mind(fresh).close()
    assert schema(old) == schema(fresh)


def test_its_memories_say_how_they_came_to_be(upgraded: Mind) -> None:
    origins = {str(memory.text): memory.origin for memory in upgraded.memories(status="all")}
    by_hand = {"uses pip", "uses uv", "gone by now"}
    assert {origins.pop(content) for content in by_hand} == {"manual"}, "also on a turn"
    assert set(origins.values()) <= {"extraction"}, "what the rules found in the turns"
    assert [turn.metadata for turn in upgraded.turns() if turn.metadata] == []


def test_its_turns_are_whole_and_findable(upgraded: Mind) -> None:
    chat, trip = upgraded.turns(session="chat"), upgraded.turns(session="trip")
    kept = [*chat, *trip]
    assert [turn.text for turn in kept] == [told.text for told in build.SAID]
    assert [turn.tool_calls for turn in kept] == [told.tool_calls for told in build.SAID]
    assert [turn.tool_results for turn in kept] == [told.tool_results for told in build.SAID]
    assert [(turn.sender, turn.channel) for turn in chat] == [("小明", "wechat"), ("", "")]
    assert [turn.index for turn in kept] == [0, 1, 0, 1]
    assert trip[0].at.isoformat() == "2026-02-11T09:30:00+08:00"
    for query, place in build.FOUND_BY.items():
        assert kept[place].id in {hit.id for hit in by_words(upgraded, query)}, query


def test_everything_else_is_there(upgraded: Mind) -> None:
    current = upgraded.memories(kind="preference")
    assert [memory.text for memory in current] == ["uses uv"]
    assert current[0].sources[0].session == "chat"
    history = upgraded.history(current[0].id)
    assert [version.text for version in history.versions] == ["uses pip", "uses uv"]
    assert [event.type for event in history.events] == ["write", "supersede", "write"]
    known = {memory.text for memory in upgraded.memories()}
    assert known >= {"uses uv", "gone by now"}, "later versions learned from the turns, too"
    assert "uses pip" not in known
    assert by_words(upgraded, "橘猫", of=["attachment"])
    assert {kept.filename for kept in upgraded.attachments()} == {"cat.png", "python.md"}
    assert upgraded.usage()[0].cost == 0.5
    assert [event.summary for event in upgraded.daily_events(limit=9)]
    assert {info.id: info.ended_at is not None for info in upgraded.sessions()} == {
        "chat": False,
        "trip": True,
    }
    replayed = upgraded.remember("uses pip", kind="preference", operation_id="first")
    assert replayed.memory is not None
    assert replayed.memory.status == "superseded"


def test_spaces_stay_apart_and_it_can_be_written_on(upgraded: Mind, open_mind: OpenMind) -> None:
    assert by_words(upgraded, "secret") == []
    bob = open_mind(upgraded_path(upgraded), space="bob")
    assert [hit.text for hit in by_words(bob, "secret")] == [build.THEIRS.text]
    assert bob.record(session="chat", role="user", text="more").index == 1
    told = upgraded.record(session="chat", role="user", text="下一句 oolong")
    assert told.index == 2
    assert by_words(upgraded, "oolong")[0].id == told.id


def upgraded_path(mind: Mind) -> str:
    return str(mind._store.path)  # type: ignore[attr-defined]


def test_upgrading_twice_is_upgrading_once(upgraded: Mind, old: Path, open_mind: OpenMind) -> None:
    before = upgraded.turns()
    upgraded.close()
    again = open_mind(old)
    assert again.turns() == before
    assert applied(old) == list(VERSIONS)


# --- what must not be touched --------------------------------------------------------------------


def test_a_newer_schema_is_refused_untouched(
    open_mind: OpenMind, tmp_path: Path, mind: Mind
) -> None:
    mind.record(session="s", role="user", text="tea")
    mind.close()
    path = tmp_path / "memory.db"
    run(path, f"PRAGMA user_version = {migrate.LATEST + 1}")
    before = path.read_bytes()
    with pytest.raises(mnemic.SchemaTooNew) as caught:
        open_mind()
    assert "pip install" in caught.value.remedy
    assert path.read_bytes() == before
    assert sum(file.stat().st_size for file in tmp_path.glob("*-wal")) == 0, "nothing waits either"


@pytest.mark.parametrize(
    "content", [b"hello, I am a text file", b"\x00" * 4096, b"SQLite format 2\x00" + b"x" * 99]
)
def test_a_file_of_another_kind_is_refused_untouched(
    open_mind: OpenMind, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    with pytest.raises(mnemic.NotADatabase) as caught:
        open_mind()
    assert caught.value.remedy
    assert path.read_bytes() == content


def test_the_database_of_another_program_is_refused_untouched(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    path = tmp_path / "memory.db"
    run(path, "CREATE TABLE songs (title TEXT)")
    before = path.read_bytes()
    with pytest.raises(mnemic.NotADatabase) as caught:
        open_mind()
    assert caught.value.remedy
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_memory(open_mind: OpenMind, tmp_path: Path) -> None:
    (tmp_path / "memory.db").touch()
    assert open_mind().stats().schema == migrate.LATEST


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    """A table in the way of the last table or index stops a migration near its end: the latest that
    makes more than one of them.
    """
    version, made = max((version, made_by(version)) for version in VERSIONS if made_by(version)[1:])
    path = Path(shutil.copy(build.path_of(version - 1), tmp_path / "memory.db"))
    run(path, f"CREATE TABLE {made[-1]} (x); INSERT INTO {made[-1]} VALUES (42)")
    before = schema(path)
    for _ in range(2):
        with pytest.raises(mnemic.StoreError) as caught:
            open_mind()
        assert caught.value.remedy
    assert schema(path) == before
    assert migrate.inspect(str(path)) == version - 1
    assert applied(path) == list(range(1, version))
    assert run(path, f"SELECT x FROM {made[-1]}") == [(42,)]
    run(path, f"DROP TABLE {made[-1]}")
    mind = open_mind()
    assert mind.stats().schema == migrate.LATEST, "and once it is out of the way, it works"
    assert len(mind.turns()) == len(build.SAID)


# --- looking beside the doors --------------------------------------------------------------------


def made_by(version: int) -> list[str]:
    """The tables and indexes that a migration makes, in order."""
    script = (SCHEMA / f"{version:04}.sql").read_text(encoding="utf-8")
    return re.findall(r"^CREATE (?:TABLE|INDEX) (\w+)", script, re.MULTILINE)


def run(path: Path, sql: str) -> list[tuple[object, ...]]:
    conn = apsw.Connection(str(path))
    try:
        return list(conn.execute(sql))
    finally:
        conn.close()


def schema(path: Path) -> set[tuple[object, ...]]:
    return set(run(path, "SELECT type, name, tbl_name, sql FROM sqlite_schema"))


def applied(path: Path) -> list[object]:
    return [version for (version,) in run(path, "SELECT version FROM migrations ORDER BY version")]


def test_what_was_learned_before_is_counted_and_known_after(upgraded: Mind) -> None:
    writes = upgraded.events(type="write", limit=1_000)
    assert upgraded.metrics().learned == sum(bool(one.payload.get("sources")) for one in writes)
    assert upgraded.remember("Uses  UV.", kind="preference").outcome == "same"
    assert upgraded.remember("uses poetry", kind="preference").outcome == "new"
