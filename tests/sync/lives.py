"""Random lives of one memory on three devices, and a bad road between them.

Each device has its own copy of the shared folder. Files travel from their writer to the others in
any order, some lost, some twice, some cut off. After the last exchange all devices have to be equal
by plain SQL, and have every write that was acknowledged and not forgotten.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import mnemic
from mnemic.clock import ManualClock
from tests.postgres.server import connect

START = datetime(2026, 2, 12, 12, tzinfo=UTC)
QUICK: dict[str, Any] = {
    "index": {"vectors": "none"},
    "documents": {"write": []},
    "ledger": {"jsonl": False},
}
_PLACES = "Berlin Munich Hamburg 北京 上海 Paris".split()
_WORDS = "tea violin invoice 会议 garden 预算 train harbor 雨 bread".split()
_QUESTIONS = ("Where do I live?", "violin", "我住在哪里", "garden train")
# Every table that is memory, without numbers of one database (doc, session number), what is worked
# out again (speaker, wording) and how far one device's own work has come.
TABLES = {
    "sessions": "id project topic started_at last_at ended_at turns prompted shared",
    "turns": (
        "id (SELECT s.id FROM sessions s WHERE s.number = r.session) idx role content tool_calls"
        " tool_results at zone tokens channel sender trust state reason claimed metadata"
    ),
    "memories": (
        "id kind content subject predicate project topic tags importance confidence trust status"
        " access_count created_at updated_at last_accessed_at valid_from valid_to superseded_at"
        " superseded_by expires_at episode value slot confirmations session snoozed_until offered"
        " put_away core metadata origin"
    ),
    "memory_sources": "memory turn",
    "episodes": (
        "id session summary goal outcome started_at ended_at actions entities tools memories tags"
        " importance access_count source last_turn"
    ),
    "attachments": "id session filename size description created_at",
    "events": "id type operation_id step subject payload at",
    "daily_events": "id day channel sender summary tokens compressed created_at",
    "usage": "id purpose model input_tokens output_tokens at",
    "scratchpads": "text updated_at",
    "document_choices": "document memory choice at",
    "onboarding": "stage answers updated_at",
    "counters": "day name amount",
}


@dataclass
class Device:
    """One device: its memory, its clock, its copy of the folder, and what it acknowledged."""

    name: str
    home: Path
    clock: ManualClock
    mind: mnemic.Mind
    place: str
    said: dict[str, str] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return self.home / "shared"

    @property
    def database(self) -> Path:
        return self.home / "memory.db"


def open_device(home: Path, hours: float = 0, server: str = "", **settings: Any) -> Device:
    """A device whose clock is that many hours off, with a file or a database of a server."""
    home.mkdir(parents=True, exist_ok=True)
    clock = ManualClock(START + timedelta(hours=hours))
    place = server or str(home / "memory.db")
    mind = mnemic.open(place, clock=clock, worker="none", **(QUICK | settings))
    return Device(home.name, home, clock, mind, place)


def pair(devices: list[Device]) -> None:
    """Let all devices in by their keys."""
    first, *others = devices
    first.mind.sync_folder(first.folder)
    for other in others:
        first.mind.sync_folder(first.folder, add=other.mind.devices().public_key)
    for other in others:
        shutil.copytree(first.folder / "keys", other.folder / "keys")


def contents(database: Path | str) -> dict[str, list[tuple[Any, ...]]]:
    """Every table that is memory, by plain SQL, in an order that all devices share."""
    with closing(_connect(database)) as connection:
        return {
            table: sorted(
                connection.execute(f"SELECT {_columns(columns)} FROM {table} r").fetchall(),
                key=repr,
            )
            for table, columns in TABLES.items()
        }


def _connect(database: Path | str) -> Any:
    if not str(database).startswith("postgresql:"):
        return sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    connection = connect(str(database))
    connection.execute("SET search_path = mnemic, public")
    return connection


def _columns(listed: str) -> str:
    start, inner, rest = listed.partition("(")
    if not inner:
        return ", ".join(listed.split())
    inside, _, after = rest.partition(")")
    return ", ".join([*start.split(), f"({inside})", *after.split()])


class Life:
    """One random history."""

    def __init__(self, folder: Path, seed: int, steps: int = 24, server: str = "") -> None:
        """With the address of an empty database, the second device is on that server."""
        self._rng = random.Random(seed)
        self._steps = steps
        self.devices = [
            open_device(folder / name, hours, server if name == "b" else "")
            for name, hours in zip("abc", (0, self._rng.uniform(-9, 9), 5), strict=True)
        ]
        self.forgotten: set[str] = set()
        pair(self.devices)

    def run(self) -> list[str]:
        """Live, exchange to the end, and say what is wrong."""
        rng = self._rng
        try:
            for _ in range(self._steps):
                device = rng.choice(self.devices)
                device.clock.advance(minutes=rng.uniform(0.1, 90))
                rng.choices((self._act, self._meet, self._carry), (5, 2, 2))[0](device)
            return self._settle() + self._differences()
        finally:
            for device in self.devices:
                device.mind.close()

    # --- living ---------------------------------------------------------------------------------

    def _act(self, device: Device) -> None:
        actions = (
            self._say, self._say, self._remember, self._live_somewhere, self._edit, self._archive,
            self._answer, self._recall, self._write_pad, self._forget, self._delete, self._learn,
        )  # fmt: skip
        self._rng.choice(actions)(device)

    def _sentence(self) -> str:
        return " ".join(self._rng.choices(_WORDS, k=5)) + f" {self._rng.randrange(10**6)}"

    def _say(self, device: Device) -> None:
        session = f"s{self._rng.randrange(3)}"
        for role in ("user", "assistant"):
            text = self._sentence()
            turn = device.mind.record(session=session, role=role, text=text)
            device.said[turn.id] = text
            device.clock.advance(seconds=1)

    def _live_somewhere(self, device: Device) -> None:
        place = self._rng.choice(_PLACES)
        turn = device.mind.record(session="home", role="user", text=f"I live in {place}.")
        device.said[turn.id] = turn.text

    def _remember(self, device: Device) -> None:
        decision = device.mind.remember(self._sentence(), kind="fact")
        if decision.memory is not None:
            device.kept[decision.memory.id] = decision.memory.text

    def _edit(self, device: Device) -> None:
        memories = device.mind.memories(limit=20)
        if memories:
            chosen = self._rng.choice(memories)
            edited = device.mind.edit(chosen.id, text=self._sentence())
            device.kept[edited.id] = edited.text

    def _archive(self, device: Device) -> None:
        memories = device.mind.memories(limit=20)
        if memories:
            device.mind.archive(self._rng.choice(memories).id)

    def _answer(self, device: Device) -> None:
        for waiting in device.mind.pending()[:1]:
            self._rng.choice((device.mind.confirm, device.mind.ignore))(waiting.id)

    def _recall(self, device: Device) -> None:
        device.mind.recall(self._rng.choice(_QUESTIONS))

    def _write_pad(self, device: Device) -> None:
        device.mind.write_scratchpad(f"# Task\n- {self._sentence()}\n")

    def _learn(self, device: Device) -> None:
        device.mind.drain()

    def _forget(self, device: Device) -> None:
        known = [turn.id for turn in device.mind.turns(limit=50)]
        if known:
            id_ = self._rng.choice(known)
            device.mind.forget(id=id_)
            self.forgotten.add(id_)

    def _delete(self, device: Device) -> None:
        memories = device.mind.memories(limit=20)
        if memories:
            self.forgotten.add(device.mind.delete(self._rng.choice(memories).id).id)

    # --- meeting --------------------------------------------------------------------------------

    def _meet(self, device: Device) -> None:
        device.mind.sync_folder(device.folder)

    def _carry(self, device: Device) -> None:
        """Some files of a device reach another one: not all, not in order, not always whole."""
        other = self._rng.choice([one for one in self.devices if one is not device])
        own = device.mind.devices().own
        files = sorted((device.folder / own).glob("*.change"))
        for file in self._rng.sample(files, self._rng.randint(0, len(files))):
            place = other.folder / own / file.name
            place.parent.mkdir(parents=True, exist_ok=True)
            data = file.read_bytes()
            place.write_bytes(data[: len(data) // 2] if self._rng.random() < 0.2 else data)

    def _settle(self) -> list[str]:
        """The last exchange: everything arrives, until nobody has anything to say."""
        for number in range(8):
            reports = []
            for device in self.devices:
                reports.append(device.mind.sync_folder(device.folder))
                mirror(device, self.devices)
            # In the first round the files of one device reach another after it has looked.
            if number and not any(report.written or report.read for report in reports):
                left = [file for report in reports for file in (*report.waiting, *report.refused)]
                return [f"{file.name} was not read: {file.reason}" for file in left]
        return ["the devices still had something to say after eight rounds"]

    def _differences(self) -> list[str]:
        first, *others = [contents(device.place) for device in self.devices]
        wrong = [
            f"{table} on {device.name}: {_shown(first[table], other[table])}"
            for device, other in zip(self.devices[1:], others, strict=True)
            for table in TABLES
            if first[table] != other[table]
        ]
        turns = {row[0]: row[4] for row in first["turns"]}
        memories = {row[0]: row[2] for row in first["memories"]}
        gone = {id_ for device in self.devices for id_ in removed(device.place)}
        for device in self.devices:
            for said, here in ((device.said, turns), (device.kept, memories)):
                wrong += [f"{device.name} lost {text!r}" for id_, text in said.items()
                          if here.get(id_) != text and id_ not in gone]  # fmt: skip
        wrong += [
            f"{id_} was forgotten" for id_ in self.forgotten & (turns.keys() | memories.keys())
        ]
        for device in self.devices:
            device.clock.set(START + timedelta(days=9))
        numbers = [text.split()[-1] for text in turns.values() if text[-1].isdigit()]
        for question in ("Where do I live?", *numbers[:4]):
            found = [device.mind.recall(question, limit=5) for device in self.devices]
            best = [[hit.text for hit in hits[:1]] for hits in found]
            if best[1:] != best[:-1]:
                wrong.append(f"recall of {question!r} differs: {best}")
        return wrong


def mirror(device: Device, devices: list[Device]) -> None:
    """Bring the files of a device to all others, and take away those that it took away."""
    own = device.mind.devices().own
    for other in devices:
        if other is not device:
            shutil.rmtree(other.folder / own, ignore_errors=True)
            if (device.folder / own).exists():
                shutil.copytree(device.folder / own, other.folder / own)


def removed(database: Path | str) -> set[str]:
    """What was forgotten, with what was made of it."""
    with closing(_connect(database)) as connection:
        rows = connection.execute("SELECT key FROM sync_rows WHERE marks = ''").fetchall()
    return {key for (key,) in rows}


def _shown(one: list[Any], other: list[Any]) -> str:
    left = [row for row in one if row not in other][:3]
    right = [row for row in other if row not in one][:3]
    return json.dumps([left, right], ensure_ascii=False, default=str)
