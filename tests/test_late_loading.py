"""What is loaded or compiled when it is first used: all of it can be, and opening loads little."""

from __future__ import annotations

import gc
import pkgutil
import re
import subprocess
import sys
from importlib import import_module

import mnemic
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
    late = [one for one in gc.get_objects() if isinstance(one, LatePattern)]
    assert late
    for one in late:
        assert one.search.__self__ == re.compile(one.pattern, one._flags)


def test_a_late_pattern_is_like_one_that_is_compiled() -> None:
    late, plain = defer(r"(?P<a>\w)-", re.I), re.compile(r"(?P<a>\w)-", re.I)
    assert late.pattern == plain.pattern
    assert late.groupindex == plain.groupindex
    assert late.sub("", "a-b-c") == plain.sub("", "a-b-c") == "c"


def test_a_first_answer_loads_nothing_that_it_does_not_need() -> None:
    done = subprocess.run([sys.executable, "-c", _ASK], check=True, capture_output=True, text=True)
    loaded = done.stdout.split()
    assert "mnemic.recall.engine" in loaded
    assert [one for one in loaded if one.removeprefix("mnemic.").startswith(_NOT_NEEDED)] == []


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
