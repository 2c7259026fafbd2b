"""The check that a test of a statement uses the public interface only, on good and bad tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.public_interface import (
    PUBLIC_MODULES,
    TRUSTED_HELPERS,
    PublicInterface,
)
from tests.conformance.test_plugin import ROOT, Project, project

__all__ = ["project"]
pytest_plugins = ("pytester",)

HELPERS = """
import mnemic
from mnemic.store.contract import Store

THINKING = {"provider": "openai"}

def settings(): return {"model": THINKING}
def opened(path): return mnemic.open(path, preset="openakita")
def behind(mind): return mind._store
def typed(): return Store
def annotated(store: Store) -> Store: return store
"""
PLANTING = "def plant(mind, text, **fields): mind._store.write(text)"
CONFTEST = """
import pytest
import mnemic
from tests.helpers import behind

@pytest.fixture
def mind(): return mnemic.open(":memory:", preset="openakita")

@pytest.fixture
def store(mind): return behind(mind)
"""
FILES = {"__init__": "", "helpers": HELPERS, "planting": PLANTING, "conftest": CONFTEST}

GOOD = {
    "the names of the package": "import mnemic\ndef test(): mnemic.open('x').remember('y')",
    "values and errors": (
        "from mnemic import Mind, ToolCall\nfrom mnemic.types import Hit\n"
        "from mnemic.errors import NotFound\ndef test(): ToolCall('a', {}), Mind, Hit, NotFound"
    ),
    "tools": "from mnemic.tools import call_tool\ndef test(): call_tool",
    "the command": "from mnemic.cli.root import cli\ndef test(): cli",
    "a helper that does likewise": "from tests.helpers import opened\ndef test(): opened('x')",
    "a helper's settings": "from tests import helpers\ndef test(): helpers.settings()",
    "types that only annotate": "from tests.helpers import annotated\ndef test(): annotated(1)",
    "a fixture that does likewise": "def test(mind): mind.remember('x')",
    "a helper that only prepares": (
        "from tests.planting import plant\ndef test(mind): plant(mind, 'x', importance=0.5)"
    ),
    "its own class": "class T:\n    def _say(self): ...\n    def test(self): self._say()",
    "what it never uses": "from mnemic.rules import decay\ndef test(): ...\ndef other(): decay",
    "a file called mnemic.toml": "def test(tmp_path): (tmp_path / 'mnemic.toml').touch()",
    "settings to open with": "import mnemic\ndef test(): mnemic.open('x', settings={})",
    "another name of the file's": (
        "from mnemic.store import contract\ndef test():\n    contract = 1\n    return contract"
    ),
}
BAD = {
    "an inner module": (
        "from mnemic.rules import decay\ndef test(): decay.law()",
        "rules.decay",
    ),
    "one imported inside": (
        "def test():\n    import mnemic.store.contract",
        "store.contract",
    ),
    "by the package": ("import mnemic\ndef test(): mnemic.engine.shared.build", "mnemic.engine"),
    "a name that is not public": ("import mnemic\ndef test(): mnemic._HOMES", "_HOMES"),
    "a module by its text": ("def test(f): f('mnemic.store.contract')", "store.contract"),
    "a private attribute": ("def test(mind): mind._services.drain()", "_services is private"),
    "a private attribute in quotes": ("def test(mind): getattr(mind, '_store')", "_store"),
    "a setting": ("def test(mind): assert mind.settings.recall.limit == 5", "setting is read"),
    "a setting by a variable": ("def test(mind):\n    s = mind.settings\n    assert s", "setting"),
    "a helper": ("from tests.helpers import behind\ndef test(mind): behind(mind)", "_store"),
    "a module of helpers": (
        "from tests import helpers\ndef test(): helpers.behind(1)",
        "_store",
    ),
    "a helper's own names": (
        "from tests.helpers import typed\ndef test(): typed()",
        "contract.Store",
    ),
    "a helper in the file": ("def look(m): return m._x\ndef test(mind): look(mind)", "_x"),
    "a fixture": ("def test(store): ...", "_store is private"),
    "its own class": (
        "class T:\n    def look(self, m): return m._x\n    def test(self, mind): self.look(mind)",
        "_x is private",
    ),
}


@pytest.fixture
def interface(tmp_path: Path) -> PublicInterface:
    tests = tmp_path / "tests"
    tests.mkdir()
    for name, text in FILES.items():
        (tests / f"{name}.py").write_text(text, encoding="utf-8")
    return PublicInterface(tmp_path)


def found(interface: PublicInterface, source: str) -> list[str]:
    path = interface.root / "tests" / "test_it.py"
    path.write_text(source, encoding="utf-8")
    return interface.reached(path, "T.test" if source.startswith("class T") else "test").wrong


@pytest.mark.parametrize("source", GOOD.values(), ids=GOOD)
def test_what_a_user_can_do_is_allowed(interface: PublicInterface, source: str) -> None:
    assert found(interface, source) == []


@pytest.mark.parametrize(("source", "reason"), BAD.values(), ids=BAD)
def test_what_goes_behind_it_is_refused(
    interface: PublicInterface, source: str, reason: str
) -> None:
    wrong = found(interface, source)
    assert wrong
    assert all(one.startswith("tests/") for one in wrong), "it says where"
    assert any(reason in one for one in wrong)


def test_what_is_allowed_is_there() -> None:
    for module in PUBLIC_MODULES:
        path = ROOT / "src" / Path(*module.split("."))
        assert path.is_dir() or path.with_suffix(".py").is_file(), module
    for helper in TRUSTED_HELPERS:
        assert (ROOT / Path(*helper.split("."))).with_suffix(".py").is_file(), helper


STATEMENTS = """
[presets]
A = "openakita"
[titles]
A = "The document"
[open]
A = ["A2"]
[statements]
A1 = { section = "A §1", what = "a | b", features = ["L1"] }
A2 = { section = "A §2", what = "c" }
A3 = { section = "A §3", what = "d", better = "it is safer" }
"""
TEST = """
import pytest
import mnemic

@pytest.mark.statement("A1", "A3")
def test_it():
    assert mnemic.open, "called with preset='openakita' by a real one"
"""


def test_the_page_says_what_was_lived_through(project: Project) -> None:
    project.write("statements.toml", STATEMENTS)
    project.tests(TEST)
    result = project.run()
    assert result.ret == 0
    result.stdout.fnmatch_lines(["1 of 3 statements work, 1 better, 1 not proved"])
    link = "[tests/test_it.py::test_it](../tests/test_it.py)"
    assert project.row("A1") == ["A1", "A §1", "a &#124; b (L1)", "works", link, "1"]
    assert project.row("A2")[3] == "not proved"
    assert project.row("A3")[3] == "better, because it is safer"
    project.tests(TEST.replace('"A3"', '"A2"'))
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["A3 is claimed as true, but no test is marked with it"])
    project.write("statements.toml", STATEMENTS.replace('["A2"]', '["A2", "A3"]'))
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["A3 holds according to the page, *lists it as open*"])


def test_three_tests_a_row_are_linked(project: Project) -> None:
    project.write("statements.toml", STATEMENTS.replace('["A2"]', '["A2", "A3"]'))
    mark = '@pytest.mark.statement("A1")\n'
    more = [f"{mark}def test_{n}(): assert mnemic.open, 'openakita'\n" for n in range(5)]
    project.tests("import pytest\nimport mnemic\n" + "".join(more))
    project.tests(TEST.replace('"A1", "A3"', '"A1"'), name="test_other")
    assert project.run().ret == 0
    shown = project.row("A1")[4]
    names = ("test_it.py::test_0", "test_it.py::test_1", "test_other.py::test_it")
    assert all(name in shown for name in names)
    assert shown.endswith("<br>and 3 more")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"A1"', '"A9"', "*no statement 'A9' in statements.toml"),
        ('"A1", "A3"', "", "*a statement mark names at least one id*"),
        ('"A3"', '"A3", preset="x"', "*a statement mark takes ids only, not preset"),
        ("preset='openakita'", "preset='shiyi'", "*it never names the preset 'openakita'"),
        ("mnemic.open", "mnemic.engine.open.open", "*mnemic.engine is not public"),
    ],
)
def test_a_wrong_mark_or_test_is_a_collection_error(
    project: Project, old: str, new: str, reason: str
) -> None:
    project.write("statements.toml", STATEMENTS)
    assert old in TEST
    project.tests(TEST.replace(old, new))
    result = project.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([reason])
    assert project.page is None


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('["A2"]', '["A7"]', "open names A7, which is no statement"),
        ('features = ["L1"]', 'features = ["L9"]', "A1: no feature 'L9'"),
        ('A = "openakita"', 'A = "nobody"', "A1: no preset 'nobody'"),
        ('better = "it is safer"', 'better = ""', "A3: 'better' gives the reason"),
        ('what = "c"', 'wat = "c"', "A2: unknown wat*"),
        ('what = "c"', 'what = ""', "A2: 'section' and 'what' say*"),
        ("A2 =", "Q2 =", "open names A2*"),
    ],
)
def test_a_wrong_list_is_a_usage_error(project: Project, old: str, new: str, reason: str) -> None:
    project.write("statements.toml", STATEMENTS.replace(old, new, 1))
    project.tests("def test_it(): pass")
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*statements.toml: {reason}"])
