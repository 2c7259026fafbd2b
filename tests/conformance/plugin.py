"""The pytest plugin that holds the test suite to the list of features and of statements.

``@pytest.mark.feature("L1", "M4", preset="openakita")`` says what a test proves, and
``@pytest.mark.statement("A13")`` which sentence of a document it lives through. After a full run
the claims in features.toml and statements.toml are compared with what happened, and
docs/conformance.md is brought up to date. With CI=true a skipped test is a failure, and so is a
page that is not up to date.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.catalog import Catalog, CatalogError, load
from tests.conformance.public_interface import PublicInterface
from tests.conformance.report import (
    Outcome,
    Proof,
    broken_claims,
    broken_statements,
    judge,
    render,
    statement_summary,
    summary,
)
from tests.conformance.statements import Statements, load_statements

PROPERTY = "feature"
MARKER = (
    "feature(*ids, preset=None): the features of tests/conformance/features.toml this test proves, "
    "for one preset, a list of them, or (without preset) for all"
)
STATEMENT_MARKER = (
    "statement(*ids): the statements of the documents this test lives through, under the preset of "
    "their document (A openakita, C shiyi, D myclaw, E semibot)"
)
# Any of these makes a run partial: it then neither judges nor rewrites the page.
NARROWING_OPTIONS = (
    "keyword",
    "markexpr",
    "deselect",
    "ignore",
    "ignore_glob",
    "lf",
    "stepwise",
    "collectonly",
)


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() in {"1", "true"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("conformance_features", "the list of features", default="")
    parser.addini("conformance_page", "the page to write", default="docs/conformance.md")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)
    config.addinivalue_line("markers", STATEMENT_MARKER)
    given = config.getini("conformance_features")
    path = config.rootpath / given if given else Path(__file__).with_name("features.toml")
    listed = path.with_name("statements.toml")
    try:
        catalog = load(path)
    except CatalogError as error:
        raise pytest.UsageError(f"{path.name}: {error}") from error
    try:
        statements = load_statements(listed, catalog)
    except CatalogError as error:
        raise pytest.UsageError(f"{listed.name}: {error}") from error
    marks = Marks(catalog, statements, PublicInterface(config.rootpath))
    config.pluginmanager.register(marks, "conformance-marks")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Referee(config, marks), "conformance-referee")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and in_ci():
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {_skip_reason(report.longrepr)}"
    return report


class Marks:
    """Checks the marks where tests are collected, and sends them along with each report."""

    def __init__(
        self, catalog: Catalog, statements: Statements, interface: PublicInterface
    ) -> None:
        self.catalog = catalog
        self.statements = statements
        self.interface = interface
        self.deselected = False

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self,
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if report.skipped and in_ci():
            reason = _skip_reason(report.longrepr)
            return _failed(report, f"skipped, which CI does not allow: {reason}")
        wrong = [
            f"{node.name}: {error}"
            for node in report.result
            if isinstance(node, pytest.Item)
            for error in self._errors(node)
        ]
        return _failed(report, "\n".join(wrong)) if wrong else report

    def _errors(self, item: pytest.Item) -> Iterator[CatalogError | TypeError]:
        for mark in item.iter_markers("feature"):
            try:
                self.catalog.check_mark(mark.args, _presets(mark))
            except (CatalogError, TypeError) as error:
                yield error
        for mark in item.iter_markers("statement"):
            try:
                self.statements.check_mark(mark.args, mark.kwargs)
                if isinstance(item, pytest.Function):
                    self.interface.check(item, self.statements.presets_of(mark.args))
            except CatalogError as error:
                yield error

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        item.user_properties += [
            (PROPERTY, [id_, preset])
            for mark in item.iter_markers("feature")
            for id_ in mark.args
            for preset in (_presets(mark) or (None,))
        ]
        item.user_properties += [
            (PROPERTY, [id_, None]) for mark in item.iter_markers("statement") for id_ in mark.args
        ]

    def pytest_deselected(self) -> None:
        self.deselected = True

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:  # a worker of pytest-xdist: only the controller can judge
            output["deselected"] = self.deselected


class Referee:
    """Gathers every report in one place, judges a full run, and keeps the page true."""

    def __init__(self, config: pytest.Config, marks: Marks) -> None:
        self.here = marks
        self.page = config.rootpath / config.getini("conformance_page")
        self.page_name = config.getini("conformance_page")
        self.partial = _is_narrowed(config)
        self.outcomes: dict[str, Outcome] = {}
        self.marks: dict[str, list[Any]] = {}
        self.notes: list[str] = []
        self.problems: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.partial |= report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.marks[report.nodeid] = [
            value for name, value in report.user_properties if name == PROPERTY
        ]
        before = self.outcomes.get(report.nodeid, "skipped")
        # An expected failure is still a failure of the feature.
        if report.failed or hasattr(report, "wasxfail") or before == "failed":
            self.outcomes[report.nodeid] = "failed"
        elif report.when == "call" and report.passed:
            self.outcomes[report.nodeid] = "passed"
        else:
            self.outcomes[report.nodeid] = before

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        # A worker that died took the marks of its last test with it.
        deselected = getattr(node, "workeroutput", {}).get("deselected")
        self.partial |= bool(error) or bool(deselected)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        finished = exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
        stopped = session.shouldstop or session.shouldfail
        if self.partial or self.here.deselected or stopped or not finished:
            return
        self._judge()
        if self.problems:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _judge(self) -> None:
        catalog, statements = self.here.catalog, self.here.statements
        proofs = list(self._proofs())
        verdicts, kept = judge(catalog.features, proofs), judge(statements.rows, proofs)
        old = self.page.read_text(encoding="utf-8") if self.page.exists() else ""
        new = render(catalog, verdicts, statements, kept)
        self.notes.append(summary(verdicts))
        if kept:
            self.notes.append(statement_summary(kept))
        self.problems += [*broken_claims(verdicts, old), *broken_statements(kept, old)]
        if self.problems or new == old:
            return
        if in_ci():
            self.problems.append(f"{self.page_name} is stale: run `make test` and commit it")
            return
        self.page.parent.mkdir(parents=True, exist_ok=True)
        self.page.write_text(new, encoding="utf-8")
        self.notes.append(f"{self.page_name} was updated: commit it")

    def _proofs(self) -> Iterator[Proof]:
        for nodeid, outcome in self.outcomes.items():
            # Without the parameters, and the group pytest-xdist may append.
            test, _, inputs = nodeid.partition("@")[0].partition("[")
            for id_, preset in self.marks[nodeid]:
                yield Proof(id_, preset, test, outcome, inputs.rstrip("]"))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.notes:
            return
        terminalreporter.section("conformance", red=bool(self.problems))
        for line in self.notes:
            terminalreporter.line(line)
        for line in self.problems:
            terminalreporter.line(line, red=True)


def _presets(mark: pytest.Mark) -> Sequence[str | None]:
    unknown = set(mark.kwargs) - {"preset"}
    if unknown:
        raise TypeError(f"a feature mark takes ids and preset=, not {', '.join(sorted(unknown))}")
    preset = mark.kwargs.get("preset")
    if preset is None:
        return ()
    return (preset,) if isinstance(preset, str) else tuple(preset)


def _is_narrowed(config: pytest.Config) -> bool:
    roots = {config.rootpath / path for path in config.getini("testpaths")} or {config.rootpath}
    chosen = {config.invocation_params.dir / argument for argument in config.args}
    narrowed = any(getattr(config.option, name, None) for name in NARROWING_OPTIONS)
    return narrowed or {path.resolve() for path in chosen} != {path.resolve() for path in roots}


def _failed(report: pytest.CollectReport, message: str) -> pytest.CollectReport:
    report.outcome = "failed"
    report.longrepr = message
    report.result = []
    return report


def _skip_reason(longrepr: object) -> str:
    # pytest gives a skip as (path, line, reason)
    return str(longrepr[2]) if isinstance(longrepr, tuple) else str(longrepr)
