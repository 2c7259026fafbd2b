"""Very many spaces in one database, and what each may do, in random order: none sees another's."""

from __future__ import annotations

import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Mind
from mnemic.store.postgres.connection import PostgresConnection
from tests.torture.homes import Homes, StoreName
from tests.torture.outcome import Outcome

_ASKS_FOR_SPACE = re.compile(r"\+?(?:\b\w+\.)?\bspace = (\$\d+)")
_WORDS = "piano mirror clock lamp river garden 钢琴 镜子 花园 河流".split()


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """How many rows of others anybody saw."""

    spaces: int
    operations: int
    seconds: float
    done: dict[str, int]
    losses: tuple[str, ...]
    errors: tuple[str, ...]


class _Life:
    """What one space was told, to be compared with what it gives back."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.mark = f"mark{name}"
        self.turns: Counter[str] = Counter()
        self.memories: dict[str, str] = {}


def run(
    folder: Path,
    *,
    spaces: int,
    operations: int,
    store: StoreName = "sqlite",
    second_wall_only: bool = False,
    seed: int = 1,
) -> Report:
    """So many operations, each of a space that is drawn. On a server the first wall between spaces
    can be taken down, which leaves row-level security.
    """
    home = Homes(folder, store).new("spaces")
    chance = random.Random(seed)
    lives = [_Life(f"{n:05}") for n in range(spaces)]
    foreign: list[str] = []
    errors: list[str] = []
    done: Counter[str] = Counter()
    begun = time.monotonic()
    with (
        first_wall_down() if second_wall_only else nullcontext(),
        mnemic.connect(home.enter(), worker="none") as engine,
    ):
        for n in range(operations):
            life = lives[int(spaces * chance.random() ** 2)]  # some talk much more than others
            name = chance.choices(list(_CALLS), [weight for weight, _ in _CALLS.values()])[0]
            done[name] += 1
            try:
                foreign += _CALLS[name][1](engine.mind(life.name), life, chance, n)
            except mnemic.MnemicError as error:
                errors.append(f"{name}: {error}")
        for life in lives:
            foreign += _compare(engine.mind(life.name), life)
        known = {life.name for life in lives}
        foreign += [f"a space {name!r} nobody made" for name in set(engine.spaces()) - known]
    seconds = time.monotonic() - begun
    return Report(spaces, operations, seconds, dict(done), tuple(foreign), tuple(errors))


@contextmanager
def first_wall_down() -> Iterator[None]:
    """No statement asks for a space any more: its number is sent, and not looked at."""
    native = PostgresConnection.native

    def bare(
        conn: PostgresConnection, statement: str, values: list[Any] | tuple[Any, ...] = ()
    ) -> Any:
        return native(conn, _ASKS_FOR_SPACE.sub(r"(\1::bigint IS NOT NULL)", statement), values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PostgresConnection, "native", bare)
        yield


def _say(life: _Life, chance: random.Random, n: int) -> str:
    return f"{life.mark} has the {chance.choice(_WORDS)} number {n}"


def _others(life: _Life, texts: Sequence[str], where: str) -> list[str]:
    return [f"{where} of {life.name} gave {text!r}" for text in texts if life.mark not in text]


def _record(mind: Mind, life: _Life, chance: random.Random, n: int) -> list[str]:
    session, text = f"session {chance.randrange(3)}", _say(life, chance, n)
    turn = mind.record(session=session, role="user", text=text)
    life.turns[session] += 1
    return [] if turn.text == text else [f"another turn came back to {life.name}"]


def _remember(mind: Mind, life: _Life, chance: random.Random, n: int) -> list[str]:
    memory = mind.remember(_say(life, chance, n), kind="fact").memory
    if memory is None:
        return []
    life.memories[memory.id] = memory.text
    return _others(life, [memory.text], "remember")


def _recall(mind: Mind, life: _Life, chance: random.Random, n: int) -> list[str]:
    hits = mind.recall(f"who has the {chance.choice(_WORDS)}?", limit=20)
    return _others(life, [hit.text for hit in hits], "recall")


def _context(mind: Mind, life: _Life, chance: random.Random, n: int) -> list[str]:
    text = mind.context(f"the {chance.choice(_WORDS)}", session="session 0").text
    return [
        f"the context of {life.name} has {word}"
        for word in text.split()
        if word.startswith("mark") and word.strip(".,:") != life.mark
    ]


def _list(mind: Mind, life: _Life, chance: random.Random, n: int) -> list[str]:
    texts: list[str] = [turn.text for turn in mind.turns(limit=20)]
    texts += [memory.text for memory in mind.memories(limit=20)]
    return _others(life, texts, "a list")


def _borrowed(mind: Mind, life: _Life, chance: random.Random, n: int) -> list[str]:
    """The id of somebody else's memory opens nothing."""
    for id_ in _borrowable[life.name[-1]][-3:]:
        if id_ in life.memories:
            continue
        try:
            mind.get(id_)
        except mnemic.NotFound:
            continue
        return [f"{life.name} read the memory {id_} of another"]
    _borrowable[chance.choice("0123456789")].extend(list(life.memories)[-1:])
    return []


def _forget(mind: Mind, life: _Life, chance: random.Random, n: int) -> list[str]:
    if not life.memories:
        return []
    id_ = chance.choice(list(life.memories))
    mind.delete(id_)
    del life.memories[id_]
    return []


_borrowable: dict[str, list[str]] = defaultdict(list)
_CALLS: dict[str, tuple[float, Callable[[Mind, _Life, random.Random, int], list[str]]]] = {
    "record": (40, _record),
    "recall": (25, _recall),
    "remember": (10, _remember),
    "list": (10, _list),
    "context": (8, _context),
    "borrow": (6, _borrowed),
    "delete": (1, _forget),
}


def _compare(mind: Mind, life: _Life) -> list[str]:
    """Everything of its own is there, and nothing else."""
    turns = mind.turns(limit=1_000_000)
    wrong = _others(life, [turn.text for turn in turns], "the ledger")
    counted = Counter(turn.session for turn in turns)
    if counted != life.turns:
        wrong.append(f"{life.name} has {counted} and not {life.turns}")
    return wrong
