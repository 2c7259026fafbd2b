"""200 damaged sources: the damage is named with its place, and nothing fails untyped."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic.errors import InvalidInput
from mnemic.moving.importer import Importer, Reading, Refused
from mnemic.moving.reader import reader_of
from mnemic.moving.source import ImportSource
from mnemic.store.sqlite.keys import MAGIC
from tests.moving import sources

pytestmark = pytest.mark.feature("O2")
COUNT = 40
WRONG: tuple[Any, ...] = (
    None, 7, -1.5, True, [], {}, [[]], "", " ", "\ud800", "9" * 400, "2025-99-99", {"a": 1}, 1e300,
)  # fmt: skip


def _facts() -> list[dict[str, Any]]:
    return [sources.openakita_memory(n, f"第 {n} 条记忆：杯子 {n}") for n in range(COUNT)]


def _json_list(folder: Path) -> Path:
    path = folder / "memories.json"
    path.write_text(json.dumps(_facts(), ensure_ascii=False, indent=1), "utf-8")
    return path


def _json_lines(folder: Path) -> Path:
    plain = [{"text": one["content"], "created_at": sources.OLD} for one in _facts()]
    return sources.lines(folder / "memories.jsonl", plain)


def _csv(folder: Path) -> Path:
    rows = [f'{n},"cup, number {n}",2025-03-01' for n in range(COUNT)]
    return sources.lines(folder / "memories.csv", ["id,text,created", *rows])


def _markdown(folder: Path) -> Path:
    return sources.lines(folder / "notes.md", [f"- cup number {n}" for n in range(COUNT)])


def _myclaw(folder: Path) -> Path:
    place = folder / "memory"
    place.mkdir()
    sources.lines(place / "MEMORY.md", [f"杯子 {n} 号" for n in range(COUNT)])
    return place


def _database(folder: Path) -> Path:
    return sources.openakita_db(folder, many=COUNT)


Damage = Callable[[random.Random, bytes], bytes]


def cut(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) // 2, len(data))]


def hole(rng: random.Random, data: bytes) -> bytes:
    start = rng.randrange(len(data))
    return data[:start] + data[start + rng.randrange(1, 60) :]


def flips(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def noise(rng: random.Random, data: bytes) -> bytes:
    start = rng.randrange(len(data))
    return data[:start] + rng.randbytes(rng.randrange(1, 40)) + data[start:]


def page(rng: random.Random, data: bytes) -> bytes:
    """A page of the SQLite file as nothing but zeros or noise; the first has its schema."""
    number = rng.randrange(1, len(data) // 1024)
    filling = rng.choice((bytes(1024), rng.randbytes(1024)))
    return data[: number * 1024] + filling + data[(number + 1) * 1024 :]


LINES = {"jsonl": _json_lines, "csv": _csv, "markdown": _markdown, "myclaw": _myclaw}
TEXTS = {"json": _json_list, **LINES}


def read(place: Path, format: str = "") -> tuple[int, list[Refused]]:
    """What a preview counts; a source that cannot be read at all says so with a type."""
    refused: list[Refused] = []
    source = ImportSource.of(place)
    reader, found = reader_of(source, format)
    reading = Reading(found, refused=refused.append)
    for _ in reading.batches(reader.read(source, found)):
        pass
    assert all(one.place and one.reason for one in refused)
    return reading.progress.kinds.total(), refused


def damaged(place: Path, damage: Damage, seed: int) -> None:
    file = place / "MEMORY.md" if place.is_dir() else place
    file.write_bytes(damage(random.Random(seed), file.read_bytes()))


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("damage", [hole, flips, noise], ids=lambda damage: damage.__name__)
def test_a_spot_in_a_text_costs_the_records_it_hits(
    name: str, damage: Damage, tmp_path: Path
) -> None:
    format = {"jsonl": "memories"}.get(name, name)
    for seed in range(8):
        folder = tmp_path / str(seed)
        folder.mkdir()
        place = TEXTS[name](folder)
        damaged(place, damage, seed)
        count, refused = read(place, format)
        # A hole may join some records, three flips hit three of them.
        assert COUNT - 6 <= count <= COUNT + 3, (seed, count)
        assert count + len(refused) >= COUNT - 6, seed


@pytest.mark.parametrize("damage", [hole, flips, noise], ids=lambda damage: damage.__name__)
def test_a_spot_in_a_list_ends_it_at_a_place_that_is_named(damage: Damage, tmp_path: Path) -> None:
    for seed in range(8):
        folder = tmp_path / str(seed)
        folder.mkdir()
        place = _json_list(folder)
        damaged(place, damage, seed)
        count, refused = read(place, "openakita")
        if count + len(refused) < COUNT - 1:  # a hole may join two records
            assert refused[-1].place == f"entry {count + len(refused)}", seed
            assert "at character" in refused[-1].reason


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_breaks_off_is_read_up_to_there(name: str, tmp_path: Path) -> None:
    format = {"json": "openakita", "jsonl": "memories"}.get(name, name)
    for seed in range(4):
        folder = tmp_path / str(seed)
        folder.mkdir()
        place = TEXTS[name](folder)
        damaged(place, cut, seed)
        count, refused = read(place, format)
        assert count >= COUNT // 2 - 3
        assert len(refused) <= 1


def test_damaged_pages_of_a_database_cost_the_rest_of_their_table(tmp_path: Path) -> None:
    """Only a page of the schema costs the whole file; then that is said."""
    whole = _database(tmp_path)
    expected, _ = read(whole)
    opened = 0
    for seed in range(40):
        folder = tmp_path / str(seed)
        folder.mkdir()
        place = folder / "openakita.db"
        shutil.copy(whole, place)
        damaged(place, page if seed % 4 else flips, seed)
        try:
            count, refused = read(place, "openakita")
        except InvalidInput:
            continue
        opened += 1
        assert count <= expected
        assert count == expected or refused or count >= expected - 12, (seed, count)
    assert opened >= 30


def test_the_damage_of_a_table_is_named_by_the_row_before_it(tmp_path: Path) -> None:
    whole = _database(tmp_path)
    data = bytearray(whole.read_bytes())
    number = next(
        n for n in range(3, len(data) // 1024)
        if "第 110 条".encode() in data[n * 1024 : (n + 1) * 1024]
    )  # fmt: skip
    data[number * 1024 : (number + 1) * 1024] = b"\xff" * 1024
    whole.write_bytes(bytes(data))
    _, refused = read(whole, "openakita")
    (gap,) = [one for one in refused if "cannot be read" in one.reason]
    assert gap.place.startswith("memories, behind row ")


def test_a_database_that_breaks_off_is_refused(tmp_path: Path) -> None:
    whole = sources.openakita_db(tmp_path, many=200)
    data = whole.read_bytes()
    whole.write_bytes(data[: len(data) // 2])
    with pytest.raises(InvalidInput, match=r"openakita\.db.*malformed"):
        read(whole, "openakita")
    assert whole.stat().st_size == len(data) // 2


def test_a_text_that_is_not_utf8_ends_its_table_at_a_place_that_is_named(tmp_path: Path) -> None:
    whole = _database(tmp_path)
    expected, _ = read(whole)
    with closing(sqlite3.connect(whole)) as db:
        db.execute("UPDATE memories SET content = CAST(x'ff' AS TEXT) WHERE rowid = 30")
        db.commit()
    count, refused = read(whole)
    assert count < expected
    (gap,) = [one for one in refused if "cannot be read" in one.reason]
    assert gap.place == "memories, behind row 29"


def test_wrong_types_in_the_fields_of_a_database(tmp_path: Path) -> None:
    whole = _database(tmp_path)
    wrong = (None, b"\xff\xfe", 7, -2.5, "", "x" * 10, "[1]", "{}", "2025-99-99")
    with closing(sqlite3.connect(whole)) as db:
        rng = random.Random(1)
        for table in ("memories", "episodes", "conversation_turns", "attachments", "scratchpad"):
            columns = [name for (_, name, *_) in db.execute(f"PRAGMA table_info({table})")][1:]
            rows = [row for (row,) in db.execute(f"SELECT rowid FROM {table}")]
            for row in rows[: len(rows) // 2 + 1]:
                for column in rng.sample(columns, 2):
                    try:
                        db.execute(
                            f"UPDATE {table} SET {column} = ? WHERE rowid = ?",
                            (rng.choice(wrong), row),
                        )
                    except sqlite3.IntegrityError:
                        continue
        db.commit()
    count, refused = read(whole)
    assert refused
    assert count >= COUNT // 2
    with mnemic.open(tmp_path / "memory.db", worker="none") as mind:
        source = ImportSource.of(whole)
        reader, found = reader_of(source)
        reading = Reading(found, refused=refused.append)
        (done, *_) = list(Importer(mind, reading).run(reader.read(source, found)))
        assert done.kinds.total() == count
        assert done.added + done.known + done.dropped >= count - 5


@pytest.mark.parametrize("seed", range(3))
def test_wrong_types_in_the_fields_of_objects(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    facts = _facts()[:20]
    for fact in facts[:15]:
        for name in rng.sample(sorted(fact), 2):
            fact[name] = rng.choice(WRONG)
    deep = '{"text": ' + "[" * 3_000 + "]" * 3_000 + "}"
    said = ['{"text": "one cup"}', *map(json.dumps, facts), deep, "[]"]
    place = sources.lines(tmp_path / "memories.jsonl", said)
    refused: list[Refused] = []
    with mnemic.open(tmp_path / "memory.db", worker="none") as mind:
        source = ImportSource.of(place)
        reader, found = reader_of(source, "memories")
        reading = Reading(found, refused=refused.append)
        (done, *_) = list(Importer(mind, reading).run(reader.read(source, found)))
    assert done.added >= 6
    assert done.added + done.known + done.dropped + done.rejected == 23
    assert {"line 22", "line 23"} <= {one.place for one in refused}


def test_damaged_collections(tmp_path: Path) -> None:
    whole = sources.chroma(tmp_path)
    pages = (whole / "chroma.sqlite3").stat().st_size // 4096
    opened = 0
    for seed in range(16):
        place = tmp_path / str(seed)
        place.mkdir()
        file = place / "chroma.sqlite3"
        rng = random.Random(seed)
        data = bytearray((whole / "chroma.sqlite3").read_bytes())
        start = rng.randrange(1, pages) * 4096
        data[start : start + 4096] = rng.randbytes(4096)
        file.write_bytes(bytes(data))
        try:
            read(place)
        except InvalidInput:
            continue
        opened += 1
    assert opened >= 8


@pytest.mark.parametrize(
    "content",
    [b"", MAGIC, MAGIC + b"\xff" * 4096, bytes(50)],
    ids=["empty", "cut", "noise", "zeros"],
)
def test_a_file_that_cannot_be_opened_says_so(content: bytes, tmp_path: Path) -> None:
    for format in ("openakita", "chroma"):
        file = tmp_path / "openakita.db"
        file.write_bytes(content)
        with pytest.raises(InvalidInput) as caught:
            read(file, format)
        assert caught.value.remedy


def test_there_are_two_hundred() -> None:
    texts = len(TEXTS) * (3 * 8 + 4)
    assert texts + 40 + 16 + 3 + 2 + 4 >= 200
