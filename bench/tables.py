"""The figures as tables for people."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.calibration import Calibration
from bench.evidence import EvidenceReport, EvidenceResult
from bench.extraction import PRECISION, RECALL, ExtractionReport
from bench.figures import Figure, Target
from bench.learning import LearningReport
from bench.metrics import Mean
from bench.qa.model import Use
from bench.qa.run import QaReport, QaResult
from bench.recall import RecallReport, Result
from bench.speed import SpeedReport
from bench.utterances import Figures

_WIDE = 200  # where there is no terminal to fit into
_COLUMNS = ("recall@1", "recall@5", "recall@10", "recall@20", "hit@10", "all@10")
_MORE = ("mrr", "ndcg@10", "stale@10")
_BY_CATEGORY = ("recall@10", "hit@10", "mrr", "ndcg@10")


def show_figures(figures: Sequence[Figure], *, plain: bool = False) -> Console:
    """One row a figure."""
    table = _table("", "measured", "", "baseline", "", "ratio", "target", "")
    measure = ""
    for one in figures:
        if one.measure != measure:
            measure = one.measure
            table.add_section()
        table.add_row(*_row(one))
    console = _console(plain)
    console.print(table)
    return console


def show_speed(report: SpeedReport, *, plain: bool = False) -> None:
    """One row a figure, and how many targets were met."""
    console = show_figures(report.figures, plain=plain)
    judged = [one for one in report.figures if one.ok is not None]
    met = sum(one.ok is True for one in judged)
    console.print(f"{met} of {len(judged)} targets met. {_around(report.surroundings)}")


def _row(one: Figure) -> list[str | Text]:
    ok = {True: Text("ok", "green"), False: Text("missed", "red"), None: Text("")}[one.ok]
    return [
        f"{one.measure}: {one.name}",
        number(one.value),
        one.unit,
        "" if one.baseline is None else number(one.baseline),
        one.beside,
        "" if one.ratio is None else f"{one.ratio:.2f}",
        _target(one.target, one.unit),
        ok,
    ]


def _target(target: Target | None, unit: str) -> str:
    if target is None:
        return ""
    sign = {"<=": "≤", ">=": "≥"}[target.sign]
    return f"{sign} {target.limit:g}{'x' if target.of == 'ratio' else ' ' + unit}".rstrip()


def show_recall(report: RecallReport, *, categories: bool = False, plain: bool = False) -> None:
    """One row a retriever and file; with ``categories`` one for each kind of question as well."""
    console = _console(plain)
    table = _table("", "retriever", *_COLUMNS, *_MORE, "p50 ms", "p95 ms", "items/s")
    file = ""
    for result in report.results:
        if result.file != file:
            file = result.file
            table.add_section()
        table.add_row(*_recall_row(result))
    console.print(table)
    if categories:
        console.print(_category_table(report))
    peak = f"Peak memory {report.peak_memory_mb:.0f} MB."
    console.print(
        f"Intervals are 95 %, of questions resampled. {peak} {_around(report.surroundings)}"
    )


def _recall_row(result: Result) -> list[str]:
    metrics = result.metrics
    cells = [f"{result.file} ({result.questions})", result.retriever]
    cells += [_mean(metrics.get(name), name == "recall@10") for name in (*_COLUMNS, *_MORE)]
    return [*cells, number(result.p50_ms), number(result.p95_ms), number(result.items_per_second)]


def _category_table(report: RecallReport) -> Table:
    table = _table("", "category", "questions", "retriever", *_BY_CATEGORY)
    for result in report.results:
        for category, metrics in result.categories.items():
            table.add_row(
                result.file,
                category or "-",
                str(metrics["recall@10"].count),
                result.retriever,
                *(_mean(metrics.get(name), True) for name in _BY_CATEGORY),
            )
    return table


def show_evidence(report: EvidenceReport, *, bins: bool = False, plain: bool = False) -> None:
    """One row a file; with ``bins`` the reliability of its scores as well."""
    console = _console(plain)
    table = _table("", "precision", "recall of gold", "lines", "tokens", "tokens/gold line", "ECE",
                   "Brier", "AUC", "empty, own", "empty, foreign")  # fmt: skip
    for result in report.results:
        table.add_row(*_evidence_row(result))
    console.print(table)
    for result in report.results if bins else ():
        if result.calibration is not None:
            console.print(f"{result.file}: {result.calibration.count:,} hits")
            console.print(_bin_table(result.calibration))
    console.print(
        "Of the contexts at their defaults; foreign are questions of other banks of the file."
        f" Intervals are 95 %, of questions resampled. {_around(report.surroundings)}"
    )


def _evidence_row(result: EvidenceResult) -> list[str]:
    each, fit, nothing = result.tokens_per_gold_line, result.calibration, result.nothing_fits
    cells = [
        f"{result.file} ({result.questions})",
        _mean(result.precision, True),
        _mean(result.recall, True),
        number(result.lines.value),
        number(result.tokens.value),
        "" if each is None else number(each),
    ]
    cells += ["", ""] if fit is None else [_share(fit.error), _share(fit.brier)]
    if nothing is None:
        return [*cells, "one bank", "", ""]
    return [*cells, *map(_share, (nothing.auc, nothing.empty_own, nothing.empty_foreign))]


def _bin_table(fit: Calibration) -> Table:
    table = _table("", "hits", "mean score", "share gold")
    for one in fit.bins:
        found = [_share(one.score), _share(one.right)] if one.count else ["", ""]
        table.add_row(f"{one.low:.1f}-{one.high:.1f}", f"{one.count:,}", *found)
    return table


def show_qa(report: QaReport, *, plain: bool = False) -> None:
    """A table a file: every category and all together, and what the answers used."""
    console = _console(plain)
    for result in report.results:
        console.print(_qa_table(result))
        console.print(
            f"{result.asked} asked now, {result.failed} failed. A context has"
            f" {number(result.context_tokens)} tokens.\n{_use('Answers', result.answering)}"
            f" {_use('Verdicts', result.judging)} {_use('Failed now', result.lost)}\n"
        )
    console.print(
        f"Answered by {report.model}, judged by {report.judge}. Intervals are 95 %, of questions"
        f" resampled. {_around(report.surroundings)}"
    )


def _qa_table(result: QaResult) -> Table:
    names = list(result.scores)
    table = _table(f"{result.file} ({result.format})", "questions", *names)
    rows = {**result.categories, "all": result.scores}
    for name, scores in rows.items():
        count = max((one.count for one in scores.values()), default=0)
        cells = [_mean(scores.get(metric), True) for metric in names]
        table.add_row(name or "-", str(count), *cells)
    return table


def _use(what: str, use: Use) -> str:
    cost = "price not known" if use.cost is None else f"cost {use.cost:.4f}"
    return (
        f"{what}: {use.calls:,} calls, {use.input_tokens:,} tokens in,"
        f" {use.output_tokens:,} out, {cost}."
    )


def show_extraction(report: ExtractionReport, *, slips: bool = False, plain: bool = False) -> None:
    """One row for all messages, for those held out, and for each language and category."""
    table = _table("", "precision", "", "recall", "", "exact", "traps sprung")
    table.add_row(*_extraction_row("all", report.all))
    table.add_row(*_extraction_row("held out", report.held_out))
    for sorts in (report.languages, report.categories, report.traps):
        table.add_section()
        for name, figures in sorts.items():
            table.add_row(*_extraction_row(name, figures))
    console = _console(plain)
    console.print(table)
    for slip in report.slips if slips else ():
        console.print(f"{slip.id}  {slip.text}", markup=False)
        for mark, told in (("wrong", slip.wrong), ("missed", slip.missed)):
            for line in told:
                console.print(f"    {mark}: {line}", markup=False)
    verdict = "met" if report.ok else "missed"
    console.print(
        f"{report.utterances} messages, {report.ms_per_message:.2f} ms each."
        f" Targets {verdict} on all: precision ≥ {PRECISION}, recall ≥ {RECALL}."
        f" {_around(report.surroundings)}"
    )


def show_learning(report: LearningReport, *, slips: bool = False, plain: bool = False) -> None:
    """One row for each manner, half and language."""
    table = _table("", "precision", "", "recall", "", "traps sprung")
    for name, one in report.shares.items():
        table.add_row(
            name,
            f"{one.precision:.3f}",
            f"of {one.memories}",
            f"{one.recall:.3f}",
            f"of {one.labels}",
            f"{one.traps} of {one.trap_messages}",
        )
    console = _console(plain)
    console.print(table)
    for slip in report.slips if slips else ():
        console.print(slip.id, markup=False)
        for mark, lines in (("wrong", slip.wrong), ("missed", slip.missed)):
            for line in lines:
                console.print(f"    {mark}: {line}", markup=False)
    console.print(f"{report.turns_per_second:.0f} turns/s. {_around(report.surroundings)}")


def _extraction_row(name: str, figures: Figures) -> list[str]:
    """What a share would be of nothing is left empty."""
    cells = [name]
    for found in (figures.precision, figures.recall):
        cells += [_mean(found, True), f"of {found.count}"] if found.count else ["", ""]
    exact, traps = figures.exact_precision, figures.traps_sprung
    return [*cells, _mean(exact, False) if exact.count else "", _trap(traps)]


def _trap(found: Mean) -> str:
    sprung = round(found.value * found.count)
    return f"{sprung} of {found.count}" if found.count else ""


def _mean(found: Mean | None, interval: bool) -> str:
    if found is None:
        return ""
    around = f" {_share(found.low)}-{_share(found.high)}" if interval else ""
    return _share(found.value) + around


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def number(value: float) -> str:
    """Three figures that matter."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def _around(told: dict[str, str | int]) -> str:
    return (
        f"Mnemic {told['mnemic']}, Python {told['python']}, SQLite {told['sqlite']},"
        f" {told['system']}, {told['processors']} processors."
    )


def _table(*heads: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    words = {"", "retriever", "category", "target"}
    for head in heads:
        table.add_column(head, justify="left" if head in words else "right", no_wrap=bool(head))
    return table


def _console(plain: bool) -> Console:
    width = None if sys.stdout.isatty() else _WIDE
    return Console(width=width, color_system=None if plain else "auto", highlight=False)
