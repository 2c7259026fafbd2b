"""Every public call with every kind of wrong value: a result or one of our errors, never another.

The parameters are read from the signatures, so a call that is added later is tried as well.
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import (
    AsyncMind,
    Candidate,
    Mind,
    MnemicError,
    NewDailyEvent,
    NewEpisode,
    NewMemory,
    NewTurn,
    Session,
    ToolCall,
)
from mnemic.tools import call_tool, tool_names, tool_specs

pytestmark = pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")


class Hostile:
    """Refuses to be shown, compared, hashed, measured or judged."""

    def _refuse(self, *_: object) -> Any:
        raise RuntimeError("nobody may ask this object anything")

    __repr__ = __str__ = __eq__ = __hash__ = __bool__ = __len__ = _refuse
    __lt__ = __gt__ = __le__ = __ge__ = __format__ = _refuse


def deep() -> list[Any]:
    inner: list[Any] = []
    for _ in range(5_000):
        inner = [inner]
    return inner


def loop() -> list[Any]:
    inner: list[Any] = []
    inner.append(inner)
    return inner


NAN, INFINITE = float("nan"), float("inf")
VALUES: dict[str, Any] = {
    "None": None,
    "True": True,
    "0": 0,
    "-1": -1,
    "2**70": 2**70,
    "10**5000": 10**5_000,
    "1.5": 1.5,
    "nan": NAN,
    "inf": INFINITE,
    "-inf": -INFINITE,
    "empty": "",
    "blank": " \t",
    "NUL": "a\x00b",
    "surrogate": "a\ud800",
    "lines": "a\nb\u2028c",
    "long": "x" * 5_000,
    "date text": "2026-02-30",
    "number text": "9",
    "bytes": b"x",
    "list": [],
    "list of text": ["a"],
    "list of None": [None],
    "list of lists": [[[]]],
    "loop": loop(),
    "deep": deep(),
    "dict": {},
    "dict of objects": {"a": object(), 1: 2},
    "set": {1},
    "object": object(),
    "Hostile": Hostile(),
    "list of Hostile": [Hostile()],
    "class": dict,
    "function": lambda *_: None,
    "naive": datetime(2026, 2, 12),  # noqa: DTZ001
    "earliest": datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
    "latest": datetime.max.replace(tzinfo=timezone(timedelta(hours=-14))),
    "date": date(2026, 2, 12),
    "span": timedelta(days=-1),
    "longest span": timedelta.max,
    "path": Path("a\x00b"),
    "turn": NewTurn(None, None, None),  # type: ignore[arg-type]
    "candidate": Candidate(None, None),  # type: ignore[arg-type]
    "call": ToolCall(None, None),  # type: ignore[arg-type]
}

# What a call needs so that the one wrong value is the only one.
GOOD: dict[str, Any] = {
    "session": "s",
    "role": "user",
    "new": NewTurn("s", "user", "likes tea"),
    "turns": (),
    "prefix": "01a1e748",
    "episode": "nobody",
    "summary": "tea",
    "path_or_url": "https://example.com/a.txt",
    "id": "nobody",
    "where": "host",
    "error": "down",
    "purpose": "chat",
    "model": "m",
    "input_tokens": 1,
    "output_tokens": 1,
    "text": "likes tea",
    "kind": "fact",
    "candidate": Candidate("fact", "likes tea"),
    "source": "session:s",
    "markdown": "tea",
    "query": "tea",
    "hits": (),
    "message": "tea",
    "operation": "nobody",
    "event": "nobody",
    "answer": "tea",
    "ids": (),
    "texts": (),
    "name": "search_memory",
    "host": None,
    "type": "host.noted",
    "task": "tea",
    "values": {},
    "record": None,
    "records": {"k": NewMemory("likes tea", "fact")},
    "tokens": 100,
    "max_tokens": 100,
    "limit": 1,
    "project": "shop",
    "key": "tea",
    "value": {"drinks": "tea"},
    "other": "nowhere.db",
    "folder": "nowhere",
}
OPTIONAL = {"model": "", "session": None, "kind": None, "id": None, "source": None, "query": None}
ENDLESS = {"work", "close"}
# Words that have a meaning of their own for a parameter and would start long work.
TYPED = (MnemicError,)


def calls(of: type[Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, call in inspect.getmembers(of, callable):
        if not name.startswith("_") and name not in ENDLESS:
            yield name, call


def attempts(call: Callable[..., Any], *, bound: bool) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each parameter with each value, beside good ones for the parameters that are needed."""
    parameters = list(inspect.signature(call).parameters.values())[1 if bound else 0 :]
    named = [one for one in parameters if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]
    needed = {one.name: GOOD[one.name] for one in named if one.default is one.empty}
    for one in named:
        for label, value in VALUES.items():
            if one.name == "progress" and label == "class":
                continue  # a function of the caller's own that raises: that error is theirs
            yield one.name, label, {**needed, one.name: value}


def trial(place: str, call: Callable[[], object], wrong: list[str]) -> None:
    try:
        found = call()
        if isinstance(found, Iterator):
            list(found)
    except MnemicError as error:
        if not (error.message and error.remedy):
            wrong.append(f"{place}: no remedy in {type(error).__name__}: {error}")
    except Exception as error:  # noqa: BLE001 - what is looked for
        wrong.append(f"{place}: {type(error).__name__}: {str(error)[:90]}")


def of_object(target: object, of: type[Any]) -> list[str]:
    wrong: list[str] = []
    for name, call in calls(of):
        for parameter, label, given in attempts(call, bound=True):
            door = getattr(target, name)
            trial(f"{name}({parameter}={label})", lambda d=door, g=given: d(**g), wrong)  # type: ignore[misc]
    return wrong


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that are good ones for a folder make it here."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with mnemic.open(tmp_path / "memory.db", worker="none") as opened:
        opened.session("s").user("I like tea")
        opened.remember("The user likes tea", kind="preference")
        yield opened


def test_every_call_of_a_mind(mind: Mind) -> None:
    wrong = of_object(mind, Mind)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "record",
    [
        NewMemory("likes tea", "fact"),
        NewEpisode("s", "drank tea", "2026-02-12T09:00:00Z"),
        NewDailyEvent("2026-02-12", "tea"),
    ],
    ids=lambda record: type(record).__name__,
)
def test_every_field_of_a_record_that_is_added(
    mind: Mind, record: NewMemory | NewEpisode | NewDailyEvent
) -> None:
    wrong: list[str] = []
    for one in dataclasses.fields(record):
        for label, value in VALUES.items():
            bad: Any = dataclasses.replace(record, **{one.name: value})
            key = f"{one.name} {label}"
            trial(key, lambda k=key, b=bad: mind.add_many({k: b}), wrong)  # type: ignore[misc]
    assert not wrong, "\n".join(wrong)


def test_every_call_of_a_session(mind: Mind) -> None:
    wrong = of_object(mind.session("s"), Session)
    assert not wrong, "\n".join(wrong)


def test_every_call_of_a_memory_that_is_off(tmp_path: Path) -> None:
    with mnemic.open(tmp_path / "off.db", worker="none", memory={"enabled": False}) as opened:
        assert of_object(opened, Mind) == []


def test_every_call_of_an_async_mind(tmp_path: Path) -> None:
    """The same doors in a thread; one wrong value of each kind is enough."""
    few = ("Hostile", "10**5000", "surrogate", "deep")

    async def run() -> list[str]:
        wrong: list[str] = []
        opened = await mnemic.open_async(tmp_path / "memory.db", worker="none")
        async with opened:
            session = await opened.session("s")
            for target, of in ((opened, AsyncMind), (session, type(session))):
                for name, call in calls(of):
                    for parameter, label, given in attempts(call, bound=True):
                        if label not in few:
                            continue
                        place = f"{name}({parameter}={label})"
                        try:
                            await getattr(target, name)(**given)
                        except TYPED:
                            continue
                        except Exception as error:  # noqa: BLE001 - what is looked for
                            wrong.append(f"{place}: {type(error).__name__}")
        return wrong

    assert asyncio.run(run()) == []


def test_the_functions_of_the_module(
    tmp_path: Path, mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wrong: list[str] = []

    def opened(**given: Any) -> None:
        target = given.pop("target", ":memory:")
        if target is None or (isinstance(target, str) and not target):
            return  # somebody's own memory
        mnemic.open(target, **{"worker": "none", **given}).close()

    for parameter, label, given in attempts(mnemic.open, bound=False):
        trial(f"open({parameter}={label})", lambda g=given: opened(**g), wrong)  # type: ignore[misc]
    for label, value in VALUES.items():
        for key in ("memory", "recall", "no_such_setting", "space_"):
            trial(f"open({key}={label})", lambda k=key, v=value: opened(**{k: v}), wrong)  # type: ignore[misc]
    for name, function in (
        ("tool_specs", tool_specs),
        ("call_tool", lambda **given: call_tool(**{"mind": mind, **given})),
    ):
        signature = call_tool if name == "call_tool" else tool_specs
        for parameter, label, given in attempts(signature, bound=name == "call_tool"):
            if parameter != "mind":
                trial(f"{name}({parameter}={label})", lambda f=function, g=given: f(**g), wrong)  # type: ignore[misc]
    assert tool_names()
    assert not wrong, "\n".join(wrong)
