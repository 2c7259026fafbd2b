"""Three devices, a bad road between them, clocks hours apart: in the end one memory."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.sync.lives import TABLES, Device, Life, contents, mirror, open_device, pair

pytestmark = pytest.mark.sqlite_file("three files, compared by plain SQL")
_AT_ONCE = 10


@pytest.mark.parametrize("first", range(0, 50, _AT_ONCE))
def test_devices_become_equal_whatever_the_road_does(tmp_path: Path, first: int) -> None:
    for seed in range(first, first + _AT_ONCE):
        assert Life(tmp_path / str(seed), seed, steps=14).run() == [], f"history {seed}"


def test_the_last_exchange_brings_what_was_written_long_before(tmp_path: Path) -> None:
    life = Life(tmp_path, seed=0, steps=0)
    writer = life.devices[1]
    writer.mind.write_scratchpad("# Task")
    turn = writer.mind.record(session="s", role="user", text="tea 1")
    writer.said[turn.id] = turn.text
    for place, device in enumerate(life.devices):  # files reach only those who come later
        device.mind.sync_folder(device.folder)
        mirror(device, life.devices[place + 1 :])
    assert life.run() == []


def test_merging_is_commutative_associative_and_idempotent(tmp_path: Path) -> None:
    devices = _separate_lives(tmp_path)
    merged = [
        _merge(tmp_path, devices, order, number)
        for number, order in enumerate(("(ab)c", "a(bc)", "(ca)b", "c(ba)"))
    ]
    first, *others = [contents(database) for database in merged]
    for other in others:
        for table in TABLES:
            assert other[table] == first[table], table
    again = open_device(merged[0].parent)
    again.mind.merge(devices[1].database, mine=True)
    again.mind.close()
    assert contents(merged[0]) == first
    said = {text for device in devices for text in device.said.values()}
    assert said <= {row[4] for row in first["turns"]}


def test_a_session_that_went_on_in_two_places_is_interleaved_by_time(tmp_path: Path) -> None:
    one, other = open_device(tmp_path / "a"), open_device(tmp_path / "b", hours=0.01)
    for number in range(3):
        for device in (one, other):
            device.mind.record(session="talk", role="user", text=f"{device.name}{number}")
            device.clock.advance(minutes=5)
    other.mind.close()
    one.mind.merge(other.database, mine=True)
    turns = sorted(one.mind.turns(session="talk"), key=lambda turn: turn.index)
    one.mind.close()
    assert [turn.text for turn in turns] == ["a0", "b0", "a1", "b1", "a2", "b2"]
    assert [turn.index for turn in turns] == list(range(6))


def test_contradicting_answers_wait_for_a_person_on_every_device(tmp_path: Path) -> None:
    devices = [open_device(tmp_path / name) for name in "ab"]
    pair(devices)
    for device, city in zip(devices, ("Berlin", "Munich"), strict=True):
        device.mind.record(session=device.name, role="user", text=f"I live in {city}.")
        device.mind.drain()
        device.clock.advance(hours=1 if city == "Berlin" else 2)
    _exchange(devices)
    first, second = devices
    (pair_,) = first.mind.devices().conflicts
    assert (pair_,) == second.mind.devices().conflicts
    (waiting,) = first.mind.pending()
    holds = first.mind.get(pair_[0])
    assert {holds.value, waiting.value} == {"Berlin", "Munich"}
    assert holds.sources
    assert waiting.sources
    first.mind.confirm(waiting.id)
    _exchange(devices)
    for device in devices:
        assert device.mind.devices().conflicts == ()
        assert [memory.value for memory in device.mind.memories()] == [waiting.value]
        device.mind.close()
    assert contents(first.database) == contents(second.database)


def test_an_answer_that_was_put_away_makes_no_other_wait_on_any_device(tmp_path: Path) -> None:
    devices = [open_device(tmp_path / name) for name in "abc"]
    pair(devices)
    for device, city in zip(devices[:2], ("Berlin", "Munich"), strict=True):
        device.mind.record(session=device.name, role="user", text=f"I live in {city}.")
        device.mind.drain()
        device.clock.advance(hours=1 if city == "Berlin" else 2)
    _exchange(devices[:2])
    first = devices[0].mind
    ((holds, waits),) = first.devices().conflicts
    first.archive(holds)
    _exchange(devices)  # the third sees only what came of it
    for device in devices:
        assert device.mind.devices().conflicts == ()
        assert [memory.id for memory in device.mind.memories()] == [waits]
        device.mind.close()


def test_uses_are_added_up(tmp_path: Path) -> None:
    devices = [open_device(tmp_path / name) for name in "ab"]
    pair(devices)
    kept = devices[0].mind.remember("The harbor code word is marzipan", kind="fact").memory
    assert kept is not None
    _exchange(devices)
    for device in devices:
        for _ in range(3):
            device.mind.recall("What is the harbor code word?")
        device.mind.close()
    devices = [_reopened(device) for device in devices]
    before = [device.mind.get(kept.id).access_count for device in devices]
    _exchange(devices)
    after = [device.mind.get(kept.id).access_count for device in devices]
    for device in devices:
        device.mind.close()
    assert before[0] > 0
    assert after == [sum(before)] * 2


def test_a_turn_is_learned_from_on_one_device_only(tmp_path: Path) -> None:
    devices = [open_device(tmp_path / name) for name in "ab"]
    pair(devices)
    first, second = devices
    first.mind.record(session="s", role="user", text="My sister is called Ada.")
    _exchange(devices)
    second.mind.record(session="s", role="user", text="My brother is called Tim.")
    for device in devices:
        device.mind.drain()
    _exchange(devices)
    for device in devices:
        texts = sorted(memory.text for memory in device.mind.memories())
        device.mind.close()
        assert len(texts) == len(set(texts)) == 2, texts


# --- parts -------------------------------------------------------------------------------------


def _separate_lives(folder: Path) -> list[Device]:
    """Three lives that share sessions, questions and a copied beginning."""
    devices = []
    for name, hours in zip("abc", (0, 3, -4), strict=True):
        device = open_device(folder / name, hours)
        for number in range(4):
            text = f"{name} says {number} of the garden"
            turn = device.mind.record(session=f"s{number % 2}", role="user", text=text)
            device.said[turn.id] = text
            device.clock.advance(minutes=50)
        place = {"a": "Berlin", "b": "Hamburg", "c": "Berlin"}[name]
        device.mind.record(session="home", role="user", text=f"I live in {place}.")
        device.mind.drain()
        device.mind.remember("The tea is in the blue tin", kind="fact")
        device.mind.close()
        devices.append(device)
    return devices


def _merge(folder: Path, devices: list[Device], order: str, number: int) -> Path:
    """Merge copies in an order such as "(ab)c"."""
    homes = {}
    for device in devices:
        homes[device.name] = folder / f"{number}{device.name}"
        shutil.copytree(device.home, homes[device.name])

    def unite(into: str, other: str) -> str:
        opened = open_device(homes[into])
        opened.mind.merge(homes[other] / "memory.db", mine=True)
        opened.mind.close()
        return into

    if order[0] == "(":
        unite(unite(order[1], order[2]), order[4])
    else:
        unite(order[0], unite(order[2], order[3]))
    return homes[order.strip("(")[0]] / "memory.db"


def _exchange(devices: list[Device]) -> None:
    for _ in range(4):
        for device in devices:
            device.mind.sync_folder(device.folder)
            mirror(device, devices)


def _reopened(device: Device) -> Device:
    opened = open_device(device.home)
    opened.clock.set(device.clock.now())
    return opened
