"""The plugin, seen from outside: small projects with marked tests, run by pytest itself."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ("pytester",)

ROOT = Path(__file__).parents[2]
PAGE = "docs/conformance.md"

HEAD = """
[documents]
A = "A document"
C = "Another"
[presets]
default = "ours"
openakita = "A"
shiyi = "C"
[sections]
L = "Ledger"
N = "Beyond"
"""
L1 = '[features.L1]\nwhat = "a turn | whole"\nfrom = ["A §1"]\npresets = ["openakita"]\n'
L2 = '[features.L2]\nwhat = "found"\nfrom = ["A", "C"]\npresets = ["openakita", "shiyi"]\n'
N1 = '[features.N1]\nwhat = "echo"\nfrom = ["A"]\n'
BUILT = "built = true\n"

PASSING = """
import pytest

@pytest.mark.feature("L1")
def test_whole(): pass
"""


class Project:
    """A project in a folder of its own, with the plugin loaded."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pytester = pytester
        self.monkeypatch = monkeypatch
        monkeypatch.delenv("CI", raising=False)
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        pytester.makeini(
            "[pytest]\ntestpaths = tests\nconformance_features = features.toml\n"
            "addopts = --strict-markers -p xdist -p tests.conformance.plugin\n"
        )
        self.features(L1, L2, N1)

    def features(self, *rows: str) -> None:
        self.write("features.toml", HEAD + "".join(rows))

    def tests(self, source: str, name: str = "test_it") -> None:
        self.write(f"tests/{name}.py", source)

    def write(self, name: str, text: str) -> None:
        path = self.pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, *args: str, ci: bool = False) -> pytest.RunResult:
        self.monkeypatch.setenv("CI", "true" if ci else "")
        return self.pytester.runpytest_inprocess(*args)

    @property
    def page(self) -> str | None:
        path = self.pytester.path / PAGE
        return path.read_text(encoding="utf-8") if path.exists() else None

    def row(self, id_: str) -> list[str]:
        assert self.page is not None
        [line] = [line for line in self.page.splitlines() if line.startswith(f"| {id_} |")]
        return line.strip("| ").split(" | ")


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(pytester, monkeypatch)


def test_the_page_says_what_was_proven(project: Project) -> None:
    project.features(L1 + BUILT, L2, N1)
    project.tests(
        PASSING
        + """
@pytest.mark.feature("L1", "L2", preset="openakita")
@pytest.mark.parametrize("n", [1, 2])
def test_found(n): pass
"""
    )
    result = project.run()
    assert result.ret == 0
    result.stdout.fnmatch_lines(["1 of 3 features pass, 1 in part, 1 not built yet"])
    assert project.row("L1") == [
        "L1",
        "passes",
        "a turn &#124; whole",
        "A §1",
        "openakita",
        "[tests/test_it.py::test_found](../tests/test_it.py)"
        "<br>[tests/test_it.py::test_whole](../tests/test_it.py)",
    ]
    assert project.row("L2")[1] == "in part"
    assert project.row("N1")[1:5] == ["not built yet", "echo", "A", "every preset"]


def test_the_same_run_leaves_the_page_alone(project: Project) -> None:
    project.tests(PASSING)
    project.run()
    stamp = (project.pytester.path / PAGE).stat().st_mtime_ns
    result = project.run("tests")
    result.stdout.no_fnmatch_line("*updated*")
    assert (project.pytester.path / PAGE).stat().st_mtime_ns == stamp


BROKEN = [
    pytest.param(PASSING.replace("pass", "assert False"), "L1 *test_whole failed", id="failed"),
    pytest.param("def test_other(): pass", "L1 *no test is marked with it", id="unmarked"),
    pytest.param(
        PASSING.replace("pass", "pytest.skip('no disk')") + "def test_other(): pass",
        "L1 *every test marked with it was skipped",
        id="skipped",
    ),
    pytest.param(
        PASSING.replace("def", "@pytest.mark.xfail\ndef").replace("pass", "assert False"),
        "L1 *test_whole failed",
        id="expected to fail",
    ),
    pytest.param(
        PASSING.replace("def", "@pytest.fixture\ndef broken():\n    yield\n    assert False\n\ndef")
        .replace('@pytest.mark.feature("L1")\n', "")
        .replace("def test_whole()", '@pytest.mark.feature("L1")\ndef test_whole(broken)'),
        "L1 *test_whole failed",
        id="teardown",
    ),
]


@pytest.mark.parametrize(("source", "reason"), BROKEN)
def test_a_broken_claim_fails_the_run(project: Project, source: str, reason: str) -> None:
    project.features(L1 + BUILT, L2, N1)
    project.tests(PASSING)
    assert project.run().ret == 0
    before = project.page
    project.tests(source)
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines([reason])
    assert project.page == before, "a broken claim must not be erased from the page"


def test_a_claim_covers_every_preset(project: Project) -> None:
    project.features(L1, L2 + BUILT, N1)
    one = '@pytest.mark.feature("L2", preset="openakita")\ndef test_one(): pass\n'
    two = '@pytest.mark.feature("L2", preset=["openakita", "shiyi"])\ndef test_two(): pass\n'
    project.tests("import pytest\n" + one)
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["L2 is claimed as built, but nothing proves it for shiyi"])
    project.tests("import pytest\n" + one + two)
    assert project.run().ret == 0


def test_a_claim_cannot_be_taken_back_in_silence(project: Project) -> None:
    project.features(L1 + BUILT, L2, N1)
    project.tests(PASSING)
    project.run()
    project.features(L1, L2, N1)
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["L1 passes according to the page, *no longer says built*"])
    project.features(L2, N1)
    project.tests("def test_other(): pass")
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["L1 passes according to the page, *does not know it"])


def test_a_failure_without_a_claim_is_shown(project: Project) -> None:
    project.tests(PASSING.replace("pass", "assert False"))
    assert project.run().ret == 1
    assert project.row("L1")[1] == "fails"


@pytest.mark.parametrize(
    "args",
    [
        ("tests/test_it.py",),
        ("tests/test_it.py::test_whole",),
        ("-k", "whole"),
        ("-m", "feature"),
        ("--deselect", "tests/test_it.py::test_other"),
        ("--ignore", "tests/test_more.py"),
        ("--collect-only",),
        ("--lf",),
        ("-x",),
    ],
    ids=" ".join,
)
def test_a_partial_run_neither_writes_nor_judges(project: Project, args: tuple[str, ...]) -> None:
    project.features(L1, L2 + BUILT, N1)
    project.tests(PASSING + "def test_other(): assert False\ndef test_third(): pass")
    project.tests("def test_more(): pass", name="test_more")
    result = project.run(*args)
    result.stdout.no_fnmatch_line("*features pass*")
    assert project.page is None


DESELECTING = """
def pytest_collection_modifyitems(config, items):
    config.hook.pytest_deselected(items=[items.pop()])
"""


def test_tests_deselected_by_a_plugin_make_the_run_partial(project: Project) -> None:
    project.write("tests/conftest.py", DESELECTING)
    project.tests(PASSING + "def test_other(): pass")
    assert project.run().ret == 0
    assert project.page is None


@pytest.mark.parametrize(
    ("mark", "reason"),
    [
        ('"L9"', "no feature 'L9' in features.toml"),
        ('"L1", preset="nobody"', "no preset 'nobody'; there are default, openakita, shiyi"),
        ('"L1", preset="shiyi"', "preset 'shiyi' does not promise L1 *, only openakita"),
        ("", "a feature mark names at least one id*"),
        ('"L1", presets="shiyi"', "a feature mark takes ids and preset=, not presets"),
    ],
)
def test_a_wrong_mark_is_a_collection_error(project: Project, mark: str, reason: str) -> None:
    project.tests(PASSING.replace('"L1"', mark))
    project.tests("def test_fine(): pass", name="test_fine")
    result = project.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"test_whole: {reason}"])
    assert project.page is None


def test_the_default_preset_may_prove_anything(project: Project) -> None:
    project.tests(PASSING.replace('"L1"', '"L1", preset="default"'))
    assert project.run().ret == 0


def test_ci_wants_the_page_committed(project: Project) -> None:
    project.tests(PASSING)
    result = project.run(ci=True)
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"{PAGE} is stale: run `make test` and commit it"])
    assert project.page is None
    project.run()
    assert project.run(ci=True).ret == 0
    project.tests(PASSING + '@pytest.mark.feature("L2")\ndef test_more(): pass')
    assert project.run(ci=True).ret == 1


SKIPPED_MODULE = "pytest.skip('no disk', allow_module_level=True)"
SKIPPING = [
    pytest.param("def test_it(): pytest.skip('no disk')", id="in the test"),
    pytest.param("@pytest.mark.skip(reason='no disk')\ndef test_it(): pass", id="by a mark"),
    pytest.param(SKIPPED_MODULE, id="a whole module"),
]


@pytest.mark.parametrize("source", SKIPPING)
def test_ci_does_not_allow_skips(project: Project, source: str) -> None:
    project.tests(f"import pytest\n{source}\ndef test_other(): pass")
    project.tests("def test_fine(): pass", name="test_fine")
    assert project.run().ret == 0
    result = project.run(ci=True)
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*skipped, which CI does not allow: *no disk*"])


def test_ci_allows_expected_failures_of_what_is_not_claimed(project: Project) -> None:
    project.tests("import pytest\n@pytest.mark.xfail\ndef test_it(): assert False")
    project.run()
    assert project.run(ci=True).ret == 0


def test_a_wrong_list_is_a_usage_error(project: Project) -> None:
    project.features(L1 + "build = true\n")
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*features.toml: L1: unknown build*"])


class TestWorkers:
    """The same with pytest-xdist, where tests run in other processes than the referee."""

    def test_the_page_is_the_same(self, project: Project) -> None:
        project.features(L1 + BUILT, L2, N1 + BUILT)
        project.tests(PASSING)
        project.tests(PASSING.replace("L1", "N1"), name="test_other")
        assert project.run().ret == 0
        alone = project.page
        (project.pytester.path / PAGE).unlink()
        assert project.run("-n", "2").ret == 0
        assert project.page == alone

    def test_a_broken_claim_fails_the_run(self, project: Project) -> None:
        project.features(L1 + BUILT, L2, N1)
        project.tests(PASSING.replace("pass", "assert False"))
        result = project.run("-n", "1")
        assert result.ret == 1
        result.stdout.fnmatch_lines(["L1 is claimed as built, but *test_whole failed"])

    @pytest.mark.parametrize("args", [("-k", "whole"), ("-x",)], ids=" ".join)
    def test_a_partial_run_writes_nothing(self, project: Project, args: tuple[str, ...]) -> None:
        project.tests(PASSING + "def test_other(): assert False\ndef test_third(): pass")
        project.run("-n", "1", *args)
        assert project.page is None

    def test_deselected_tests_make_the_run_partial(self, project: Project) -> None:
        project.write("tests/conftest.py", DESELECTING)
        project.tests(PASSING + "def test_other(): pass")
        assert project.run("-n", "1").ret == 0
        assert project.page is None

    def test_a_worker_that_dies_fails_the_run(self, project: Project) -> None:
        project.tests("import os\n" + PASSING.replace("pass", "os._exit(3)"))
        assert project.run("-n", "1").ret == 1
        assert project.page is None

    def test_a_wrong_mark_is_a_collection_error(self, project: Project) -> None:
        project.tests(PASSING.replace("L1", "L9"))
        project.tests("def test_fine(): pass", name="test_fine")
        result = project.run("-n", "1")
        assert result.ret != 0
        result.stdout.fnmatch_lines(["test_whole: no feature 'L9' in features.toml"])
        assert project.page is None

    def test_ci_does_not_allow_skips(self, project: Project) -> None:
        for number, source in enumerate(("def test_it(): pytest.skip('one')", SKIPPED_MODULE)):
            project.tests(f"import pytest\n{source}\n", name=f"test_{number}")
        assert project.run("-n", "1").ret == 0
        result = project.run("-n", "1", ci=True)
        assert result.ret != 0
        lines = [f"*skipped, which CI does not allow: *{what}*" for what in ("no disk", "one")]
        result.stdout.fnmatch_lines_random(lines)
