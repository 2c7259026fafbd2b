"""What every test shares."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import pytest
from hypothesis import HealthCheck, settings

import mnemic
from mnemic.clock import Clock, ManualClock
from tests.postgres.server import database_for

# A run in the background may be told to ignore Ctrl-C; programs that tests start must not be.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Compiled once, not by every program that a test starts: without bytecode a start takes a second.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# As mnemic.late does; here numpy may be imported without it.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

# Databases in RAM, where there is enough of it: a commit waits for the disk, a thousand times over.
_RAM = Path("/dev/shm")
_RAM_NEEDED = 2 << 30
if (
    "TMPDIR" not in os.environ
    and os.access(_RAM, os.W_OK)
    and shutil.disk_usage(_RAM).free > _RAM_NEEDED
):
    os.environ["TMPDIR"] = str(_RAM)
    tempfile.tempdir = None

pytest_plugins = ("tests.conformance.plugin",)

# No deadline: a slow disk is not a bug. Not random: a failure must be the same for everyone.
settings.register_profile(
    "mnemic", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("mnemic")

_STORE = "MNEMIC_TEST_STORE"
NOON = datetime(2026, 2, 12, 12, tzinfo=UTC)


class OpenMind(Protocol):
    """Opens minds that are closed when the test ends."""

    def __call__(
        self,
        target: str | os.PathLike[str] | None = None,
        *,
        space: str = "default",
        preset: str = "default",
        clock: Clock | None = None,
        worker: str = "none",
        **given: Any,
    ) -> mnemic.Mind: ...


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: nothing of it is garbage, then or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is about the file of SQLite itself, or cannot be had through a service, where
    all tests are to run on the other. What takes longest comes first, or one core would be left
    with it at the end.
    """
    items.sort(key=lambda item: item.get_closest_marker("torture") is None)
    where = os.environ.get(_STORE)
    if where == "postgres":
        gone = [item for item in items if item.get_closest_marker("sqlite_file")]
    elif where == "http":
        from tests.served_mind import left_out

        gone = [item for item in items if left_out(item.nodeid)]
    else:
        return
    config.hook.pytest_deselected(items=gone)
    items[:] = [item for item in items if item not in gone]


def usual_target(folder: Path) -> Path | str:
    """The memory of a test: a file, or a database of a server (MNEMIC_TEST_STORE=postgres);
    with MNEMIC_TEST_STORE=http it is a file behind a service.
    """
    if os.environ.get(_STORE) != "postgres":
        return folder / "memory.db"
    os.environ["MNEMIC_FILES"] = str(folder)  # documents and transcripts
    return database_for(folder)


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the person running the tests has set for their own memory is none of our business."""
    for name in [name for name in os.environ if name.startswith("MNEMIC_")]:
        if name not in ("MNEMIC_TORTURE", _STORE):
            monkeypatch.delenv(name)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")  # commands speak the language of the locale


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands at noon of 12 February 2026, UTC."""
    return ManualClock(NOON)


@pytest.fixture
def open_mind(tmp_path: Path, clock: ManualClock) -> Iterator[OpenMind]:
    """Opens ``memory.db`` of the test's folder, by default on the manual clock and workerless."""
    opened: list[mnemic.Mind] = []
    manual: Clock = clock

    def open_(
        target: str | os.PathLike[str] | None = None,
        *,
        space: str = "default",
        preset: str = "default",
        clock: Clock | None = None,
        worker: str = "none",
        **given: Any,
    ) -> mnemic.Mind:
        opener: Callable[..., mnemic.Mind] = mnemic.open
        if os.environ.get(_STORE) == "http":
            from tests.served_mind import open_served as opener
        mind = opener(
            usual_target(tmp_path) if target is None else target,
            space=space,
            preset=preset,
            clock=clock or manual,
            worker=worker,
            **given,
        )
        opened.append(mind)
        return mind

    yield open_
    for mind in opened:
        mind.close()


class OpenTold(Protocol):
    """Opens a copy of a memory that was told something, which is told once for all tests."""

    def __call__(
        self, tell: Callable[[mnemic.Mind], object], *, preset: str = "default", **given: Any
    ) -> mnemic.Mind: ...


@pytest.fixture(scope="session")
def told_folders() -> dict[str, Path]:
    """The folders of memories that were told, by what and under which settings."""
    return {}


@pytest.fixture
def open_told(
    open_mind: OpenMind,
    told_folders: dict[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
    tmp_path: Path,
) -> OpenTold:
    """To read a conversation takes longer than most tests ask about it, a copy only a moment."""

    def open_(
        tell: Callable[[mnemic.Mind], object], *, preset: str = "default", **given: Any
    ) -> mnemic.Mind:
        target = usual_target(tmp_path)
        if not isinstance(target, Path):  # a database of a server is told for itself
            mind = open_mind(preset=preset, **given)
            tell(mind)
            return mind
        key = f"{tell.__module__} {tell.__qualname__} {preset} {sorted(given.items())}"
        if key not in told_folders:
            folder = tmp_path_factory.mktemp("told")
            with mnemic.open(
                usual_target(folder), preset=preset, clock=ManualClock(NOON), worker="none", **given
            ) as first:
                tell(first)
            told_folders[key] = folder
        shutil.copytree(told_folders[key], tmp_path, dirs_exist_ok=True)
        return open_mind(preset=preset, **given)

    return open_


@pytest.fixture
def mind(open_mind: OpenMind) -> mnemic.Mind:
    """A fresh memory in a file; background work happens when the test calls ``drain()``."""
    return open_mind()
