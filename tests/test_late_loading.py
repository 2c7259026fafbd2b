"""What is loaded or compiled when it is first used: all of it can be, and opening loads little."""

from __future__ import annotations

import copy
import dataclasses
import gc
import inspect
import os
import pickle
import pkgutil
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any, ClassVar

import pytest

import mnemic
from mnemic import NewTurn, late
from mnemic.engine import parts
from mnemic.patterns import LatePattern, defer

_ASK = """
import sys, mnemic
with mnemic.open(":memory:") as mind:
    mind.recall("Where does my sister live?")
print(*sorted(name for name in sys.modules if name.startswith("mnemic.")))
"""
_NOT_NEEDED = ("cli", "documents.library", "forget", "learn.extraction", "moving", "sync.merge")


def test_every_late_part_is_the_module_that_is_named() -> None:
    for name, home in parts._HOMES.items():
        assert getattr(parts, name) is sys.modules[f"mnemic.{home}"]


def test_every_late_pattern_compiles() -> None:
    for found in pkgutil.walk_packages([*mnemic.__path__], "mnemic."):
        if found.name.startswith(("mnemic.language", "mnemic.rules")):
            import_module(found.name)
    patterns = [one for one in gc.get_objects() if isinstance(one, LatePattern)]
    assert patterns
    for one in patterns:
        assert one.search.__self__ == re.compile(one.pattern, one._flags)


def test_a_late_pattern_is_like_one_that_is_compiled() -> None:
    deferred, plain = defer(r"(?P<a>\w)-", re.I), re.compile(r"(?P<a>\w)-", re.I)
    assert deferred.pattern == plain.pattern
    assert deferred.groupindex == plain.groupindex
    assert deferred.sub("", "a-b-c") == plain.sub("", "a-b-c") == "c"


def test_a_first_answer_loads_nothing_that_it_does_not_need() -> None:
    done = subprocess.run([sys.executable, "-c", _ASK], check=True, capture_output=True, text=True)
    loaded = done.stdout.split()
    assert "mnemic.recall.engine" in loaded
    assert [one for one in loaded if one.removeprefix("mnemic.").startswith(_NOT_NEEDED)] == []


_COLLECTED = """
import gc, sys
passes = []
gc.callbacks.append(lambda phase, info: passes.append(info["generation"]))
from mnemic import late
gc.collect()
kept = gc.get_freeze_count()
if sys.argv[1] == "frozen":
    gc.freeze()
    kept = gc.get_freeze_count()
passes.clear()
late.load("mnemic.types")
few = [object() for _ in range(10)], [[] for _ in range(100)]
print(*passes, gc.isenabled(), gc.get_count()[0] < 700, gc.get_freeze_count() == kept)
"""


@pytest.mark.parametrize("host", ["usual", "frozen"])
def test_what_is_loaded_is_not_looked_at_by_the_collector(host: str) -> None:
    """Of a host that has frozen its own objects, those stay so."""
    command = [sys.executable, "-c", _COLLECTED, host]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    passes = done.stdout.split()[:-3]
    assert done.stdout.split()[-3:] == ["True", "True", "True"]
    assert passes == [] or host == "frozen"


def test_the_import_alone_loads_none_of_the_slow_modules() -> None:
    code = "import sys; had = {*sys.modules}; import mnemic; print(*{*sys.modules} - had)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "mnemic.errors" in loaded
    assert loaded.isdisjoint({"typing", "re", "dataclasses", "json", "pathlib", "mnemic.types"})


def test_a_first_recall_loads_neither_networks_nor_what_finds_secrets() -> None:
    code = """
import sys, mnemic
with mnemic.open(":memory:", worker="none", embedding={"provider": "none"}) as mind:
    mind.recall("Where does my sister live?")
    print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "mnemic.recall.engine" in loaded
    assert loaded.isdisjoint({"ssl", "cronsim", "mnemic.language.secrets.finder"})


def test_opening_and_recording_do_without_numpy() -> None:
    code = """
import sys, mnemic
with mnemic.open(":memory:", worker="none") as mind:
    mind.session("tea").user("My sister drinks green tea.")
    assert mind.turns(limit=1)
print("numpy" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def test_no_thread_spins_beside_a_first_recall() -> None:
    code = """
import time, mnemic
with mnemic.open(":memory:", worker="none") as mind:
    mind.session("tea").user("My sister drinks green tea.")
    mind.drain()
    assert mind.recall("What does my sister drink?")
print(time.process_time() - time.thread_time())
"""
    usual = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS")}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=usual
    )
    assert float(done.stdout) < 0.01


def test_a_late_dataclass_is_one_of_the_standard_library() -> None:
    both = [_classes(late.dataclass), _classes(dataclasses.dataclass)]
    for point, named in both:
        a, b = point(1, [2]), named(x=1, name="b")
        assert (a, b) == (point(1, [2]), named(x=1, name="b"))
        assert a != b != named(x=1)
        assert (a.doubled, b.doubled, named.UNIT, b.trail) == (2, 2, "mm", [])
        assert dataclasses.replace(b, name="c").name == "c"
        assert copy.deepcopy(a) == a
        assert not hasattr(a, "__dict__")
        with pytest.raises(dataclasses.FrozenInstanceError):
            a.x = 2
        with pytest.raises(ValueError, match="no name"):
            named(x=1, name="")
        match a:
            case point(x, trail):
                assert (x, trail) == (1, [2])
    (late_point, late_named), (point, named) = both
    for mine, theirs in ((late_point, point), (late_named, named)):
        assert inspect.signature(mine) == inspect.signature(theirs)
        assert repr(mine(x=1)) == repr(theirs(x=1))
        assert hash(mine(x=1, trail=())) == hash(theirs(x=1, trail=()))
        names = [[one.name for one in dataclasses.fields(kind)] for kind in (mine, theirs)]
        assert names[0] == names[1] == list(inspect.signature(mine).parameters)


def test_members_of_a_late_dataclass_are_those_of_the_standard_library() -> None:
    for options in (
        {"frozen": True},
        {"frozen": True, "eq": False},
        {"frozen": False},
        {"frozen": False, "eq": False},
    ):
        mine, theirs = [
            _classes(one, **options)[0] for one in (late.dataclass, dataclasses.dataclass)
        ]
        assert mine(1).trail == theirs(1).trail == []
        assert "Point(x=1" in repr(mine(1))
        for name in vars(theirs):
            assert type(vars(mine)[name]) is type(vars(theirs)[name]), (name, options)
        assert (mine(1) == mine(1)) is (theirs(1) == theirs(1)) is options.get("eq", True)
        assert inspect.signature(mine) == inspect.signature(theirs)
        assert mine.__init__.__qualname__.endswith("Point.__init__")


def test_a_late_dataclass_that_is_only_made_has_no_other_method_yet() -> None:
    point, _ = _classes(late.dataclass)
    assert point(1).x == 1
    assert [type(vars(point)[name]).__name__ for name in ("__init__", "__eq__", "__repr__")] == [
        "function",
        "_LateMember",
        "_LateMember",
    ]


def test_a_late_dataclass_with_names_alone_is_one_of_the_standard_library() -> None:
    def make(dataclass: Any) -> Any:
        @dataclass(frozen=True, slots=True, kw_only=True)
        class Named:
            name: str
            tags: Sequence[str] = dataclasses.field(default_factory=list, hash=False)
            size: int = dataclasses.field(default=2, compare=False)

        return Named

    mine, theirs = make(late.dataclass), make(dataclasses.dataclass)
    assert inspect.signature(mine) == inspect.signature(theirs)
    assert (mine(name="a").tags, mine(name="a").size) == ([], 2)
    assert mine(name="a") == mine(name="a", size=3) != mine(name="b")
    assert repr(mine(name="a")) == repr(theirs(name="a"))
    for kind in (mine, theirs):
        with pytest.raises(TypeError, match="positional argument"):
            kind("a")


def test_a_copy_of_another_process_is_read_before_its_class_was_used() -> None:
    turn = NewTurn("tea", "user", "Tea, please.")
    code = f"import pickle; print(pickle.loads({pickle.dumps(turn)!r}))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == repr(turn)


def test_threads_that_meet_a_late_dataclass_at_once_all_get_a_whole_one() -> None:
    for _ in range(20):
        (point, _) = _classes(late.dataclass)
        begin = threading.Barrier(4)

        def use(point: Any = point, begin: threading.Barrier = begin) -> bool:
            begin.wait()
            return bool(point(1) == point(1) and hash(point(1, ())) == hash(point(1, ())))

        with ThreadPoolExecutor(4) as pool:
            assert all(one.result() for one in [pool.submit(use) for _ in range(4)])


def _classes(dataclass: Any, **given: bool) -> tuple[Any, Any]:
    options = given or {"frozen": True}

    @dataclass(slots=True, **options)
    class Point:
        """A place, with what led there."""

        x: int
        trail: Sequence[int] = dataclasses.field(default_factory=list)
        UNIT: ClassVar[str] = "mm"

        @property
        def doubled(self) -> int:
            return 2 * self.x

    @dataclass(slots=True, kw_only=True, **options)
    class Named(Point):
        """A place with a name."""

        name: str = "here"

        def __post_init__(self) -> None:
            if not self.name:
                raise ValueError("no name")

    return Point, Named
