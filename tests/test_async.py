"""AsyncMind: the same doors, awaitable, and the loop never waits for the disk."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

import mnemic
from mnemic import AsyncMind, Mind, NewTurn, Session, Turn
from mnemic.clock import ManualClock
from mnemic.engine.aio import AsyncSession


def doors(of: type[object]) -> dict[str, Callable[..., Any]]:
    return {
        name: door
        for name, door in inspect.getmembers(of, inspect.isfunction)
        if not name.startswith("_")
    }


@pytest.mark.parametrize(("sync", "other"), [(Mind, AsyncMind), (Session, AsyncSession)])
def test_every_door_is_there_with_its_signature(sync: type[object], other: type[object]) -> None:
    assert set(doors(other)) == set(doors(sync))
    for name, door in doors(other).items():
        assert inspect.iscoroutinefunction(door), name
        mine, its = inspect.signature(door), inspect.signature(doors(sync)[name])
        assert mine.parameters == its.parameters, name
        assert door.__doc__ == doors(sync)[name].__doc__, name


def test_opening_has_the_signature_of_open() -> None:
    assert inspect.iscoroutinefunction(mnemic.open_async)
    mine, its = inspect.signature(mnemic.open_async), inspect.signature(mnemic.open)
    assert mine.parameters == its.parameters


def test_a_whole_life(tmp_path: Path, clock: ManualClock) -> None:
    async def life() -> None:
        mind = await mnemic.open_async(
            tmp_path / "me.db",
            clock=clock,
            worker="none",
            space="ann",
            embedding={"provider": "none"},
        )
        async with mind:
            assert mind.space == "ann"
            async with await mind.session("s", project="p") as session:
                assert session.id == "s"
                await session.user("green tea")
                await session.assistant("noted")
                await session.tool("done")
            assert [turn.role for turn in await mind.turns()] == ["user", "assistant", "tool"]
            (info,) = await mind.sessions()
            assert info.ended_at == clock.now()
            memory = await mind.remember("likes tea", kind="preference")
            assert (await mind.history(memory.id)).versions == (memory.memory,)
            assert await mind.get(memory.id) == memory.memory
            assert {hit.type for hit in await mind.recall("tea")} == {"turn", "memory"}
            kept = await mind.attach("cat.png")
            await mind.describe_attachment(kept.id, description="a cat")
            assert len(await mind.attachments()) == 1
            clock.advance(minutes=5)
            assert (await mind.drain()).done >= 2
            assert len(await mind.daily_events()) == 1
            assert (await mind.stats()).turns == 3
            assert all(finding.ok for finding in await mind.doctor())
            assert await mind.repair() == 6
        with pytest.raises(mnemic.Closed):
            await mind.turns()

    asyncio.run(life())


def test_errors_are_the_same(tmp_path: Path) -> None:
    async def wrong() -> None:
        with pytest.raises(mnemic.InvalidInput):
            await mnemic.open_async(tmp_path / "me.db", space="")
        async with await mnemic.open_async(tmp_path / "me.db") as mind:
            with pytest.raises(mnemic.InvalidInput):
                await mind.record(session="", role="user", text="x")
            with pytest.raises(mnemic.NotFound):
                await mind.history("nobody")

    asyncio.run(wrong())


@pytest.mark.parametrize("target", ["me.db", ":memory:"])
def test_many_records_at_once(tmp_path: Path, target: str) -> None:
    async def many() -> None:
        place = target if target == ":memory:" else tmp_path / target
        async with await mnemic.open_async(place) as mind:

            def tell(number: int) -> Awaitable[Turn]:
                return mind.record(session=f"s{number % 5}", role="user", text=f"n{number}")

            bulk = mind.record_many([NewTurn("bulk", "user", str(n)) for n in range(100)])
            asked = [mind.recall("tea") for _ in range(10)]
            told, *_ = await asyncio.gather(asyncio.gather(*map(tell, range(100))), bulk, *asked)
            assert len({turn.id for turn in told}) == 100
            for session in range(5):
                kept = await mind.turns(session=f"s{session}")
                assert [turn.index for turn in kept] == list(range(20))
            assert (await mind.stats()).turns == 200

    asyncio.run(many())


def test_the_loop_goes_on_while_the_disk_is_busy(tmp_path: Path) -> None:
    """Another program holds the write lock until the loop itself lets it go."""

    async def busy() -> None:
        path = tmp_path / "me.db"
        async with await mnemic.open_async(path, worker="none") as mind:
            await mind.record(session="s", role="user", text="first")
            other = apsw.Connection(str(path))
            other.execute("BEGIN IMMEDIATE")
            waiting = asyncio.create_task(mind.record(session="s", role="user", text="tea"))
            beats = 0
            end = time.monotonic() + 0.2
            while time.monotonic() < end:
                await asyncio.sleep(0)
                beats += 1
            assert beats > 10, "the loop turned while the record waited"
            assert not waiting.done()
            assert [turn.text for turn in await mind.turns()] == ["first"], "reading goes on"
            other.execute("ROLLBACK")
            other.close()
            assert (await waiting).index == 1

    asyncio.run(busy())


def test_work_runs_beside_the_loop_until_closed(tmp_path: Path) -> None:
    async def work() -> None:
        mind = await mnemic.open_async(tmp_path / "me.db", preset="openakita", worker="none")
        working = asyncio.create_task(mind.work())
        await mind.record(session="s", role="user", text="tea")
        end = time.monotonic() + 30
        while await mind.jobs():
            assert time.monotonic() < end
            await asyncio.sleep(0.005)
        assert not working.done()
        await mind.close()
        await asyncio.wait_for(working, 30)

    asyncio.run(work())
    assert list(tmp_path.rglob("s.jsonl"))


def test_a_door_runs_outside_the_loops_thread(tmp_path: Path) -> None:
    class Watching:
        """A clock that notes who asks."""

        def __init__(self) -> None:
            self.threads: set[int] = set()
            self.clock = mnemic.clock.SystemClock()

        def now(self) -> Any:
            self.threads.add(threading.get_ident())
            return self.clock.now()

    watching = Watching()

    async def ask() -> None:
        async with await mnemic.open_async(
            tmp_path / "me.db", clock=watching, worker="none"
        ) as mind:
            await mind.record(session="s", role="user", text="tea")
            await mind.recall("tea")
            await mind.session()

    asyncio.run(ask())
    assert watching.threads
    assert threading.get_ident() not in watching.threads
