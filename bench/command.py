"""python -m bench"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mnemic.cli.base import CommandGroup
from mnemic.cli.output import emit, note
from mnemic.cli.state import State
from mnemic.plain import plain

if TYPE_CHECKING:
    from bench.corpus import Tongue
    from bench.speed import Measure
    from mnemic.settings import Settings

pass_state = click.make_pass_decorator(State, ensure=True)
_LANGUAGES = ("en", "zh", "mixed")
_MEASURES = (
    "record", "bulk", "import", "recall", "hybrid", "context", "presets", "start", "installed"
)  # fmt: skip
_BASELINES = ("grep", "fts5", "fts5-trigram", "dense")
_UNITS = {"k": 1_000, "m": 1_000_000}
_FOLDER = click.Path(file_okay=False, path_type=Path)
_BANKS = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(dir_okay=False, path_type=Path)
_DATA = click.Path(exists=True, path_type=Path)


@click.group(cls=CommandGroup)
def bench() -> None:
    """Measure speed and recall beside plain baselines."""


def _sizes(text: str) -> tuple[int, ...]:
    """1k,10k,1m as numbers."""
    try:
        found = tuple(_size(part.strip().lower()) for part in text.split(","))
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no list of sizes such as 1k,10k,1m") from error
    if min(found) < 1:
        raise click.BadParameter("a size is 1 or more")
    return found


def _size(text: str) -> int:
    unit = _UNITS.get(text[-1:], 1)
    return round(float(text.rstrip("km")) * unit)


@bench.command()
@click.option("--only", type=click.Choice(_MEASURES), multiple=True, help="[default: everything]")
@click.option(
    "--language", type=click.Choice(_LANGUAGES), multiple=True, help="[default: each of them]"
)
@click.option("--sizes", type=_sizes, default="1k,10k,100k", show_default=True,
              metavar="N,N", help="Turns or memories to measure at; 1m takes a while.")  # fmt: skip
@click.option("--queries", type=click.IntRange(1), default=200, show_default=True, metavar="N",
              help="Questions at each size.")  # fmt: skip
@click.option("--recorded", type=click.IntRange(1), default=1_000, show_default=True, metavar="N",
              help="Turns recorded one by one.")  # fmt: skip
@click.option("--bulk", type=click.IntRange(1), default=100_000, show_default=True, metavar="N",
              help="Turns recorded at once.")  # fmt: skip
@click.option("--conversations", type=click.IntRange(1), default=2_000, show_default=True,
              metavar="N", help="Conversations of the export that is imported.")  # fmt: skip
@click.option("--starts", type=click.IntRange(1), default=10, show_default=True, metavar="N",
              help="Fresh processes of each kind.")  # fmt: skip
@click.option("--texts", type=_BANKS, metavar="DIR", help="Take texts from the bank files there.")
@click.option("--keep", type=_FOLDER, metavar="DIR", help="Keep the databases here, to use again.")
@click.option("--out", type=_FILE, metavar="FILE", help="Also write the JSON here.")
@click.option("--plot", type=_FILE, metavar="PNG", help="Draw how recall grows with the turns.")
@pass_state
def speed(
    state: State,
    *,
    only: tuple[Measure, ...],
    language: tuple[Tongue, ...],
    sizes: tuple[int, ...],
    queries: int,
    recorded: int,
    bulk: int,
    conversations: int,
    starts: int,
    texts: Path | None,
    keep: Path | None,
    out: Path | None,
    plot: Path | None,
) -> None:
    """Measure recording, bulk, import, recall, contexts, start-up and size beside bare SQLite.

    Made-up conversations in English and Chinese with the word frequencies of real ones are
    written to a temporary folder. Ours and the baseline take turns in one run.
    """
    from bench import plots
    from bench.speed import MEASURES, Plan, measure_speed
    from bench.tables import show_speed

    if plot is not None:
        plots.require_matplotlib()
    plan = Plan(
        measures=only or MEASURES,
        tongues=language or ("en", "zh", "mixed"),
        sizes=sizes,
        queries=queries,
        recorded=recorded,
        bulk=bulk,
        conversations=conversations,
        starts=starts,
        texts=texts,
        keep=keep,
    )
    report = measure_speed(plan, note)
    if plot is not None:
        plots.plot_speed(report, plot)
    _write(report, out)
    if state.json:
        emit(report)
    else:
        show_speed(report, plain=state.plain)


@bench.command()
@click.option("--only", type=click.Choice(
    ("spaces", "fairness", "clients", "simulation", "hostile", "overview")
),
              multiple=True, help="[default: everything]")  # fmt: skip
@click.option("--postgres", metavar="URL", help="Measure this empty database beside SQLite.")
@click.option("--spaces", type=click.IntRange(1), default=10_000, show_default=True, metavar="N",
              help="People in one process.")  # fmt: skip
@click.option("--memories", type=click.IntRange(1), default=100_000, show_default=True,
              metavar="N", help="Of one of them, for the overview.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), default=100_000, show_default=True, metavar="N",
              help="Jobs that one of them has waiting.")  # fmt: skip
@click.option("--clients", type=_sizes, default="1,2,4,8", show_default=True, metavar="N,N",
              help="Processes that ask and record at once.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(0.5), default=10, show_default=True, metavar="S",
              help="For each number of clients.")  # fmt: skip
@click.option("--out", type=_FILE, metavar="FILE", help="Also write the JSON here.")
@pass_state
def scale(
    state: State,
    *,
    only: tuple[str, ...],
    postgres: str | None,
    spaces: int,
    memories: int,
    jobs: int,
    clients: tuple[int, ...],
    seconds: float,
    out: Path | None,
) -> None:
    """Measure many people in one process, fair work, several clients, hostile clients, and what is
    asked of a whole database; simulate a skewed load.
    """
    from bench.scale.run import ScalePlan, measure_scale
    from bench.tables import show_figures

    plan = ScalePlan(only or ScalePlan.MEASURES, postgres, spaces, jobs, clients, seconds, memories)
    report = measure_scale(plan, note)
    _write(report, out)
    if state.json:
        emit(report)
    else:
        show_figures(report.figures, plain=state.plain)


@bench.command()
@click.option("--store", "stores", type=click.Choice(("sqlite", "postgresql", "pgbouncer")),
              multiple=True, help="[default: each of them]")  # fmt: skip
@click.option("--processes", default="0,1,2,4", show_default=True, metavar="N,N",
              help="Processes that answer; 0 is the library alone.")  # fmt: skip
@click.option("--learners", type=click.IntRange(0), default=1, show_default=True, metavar="N",
              help="Processes that learn beside them.")  # fmt: skip
@click.option("--clients", type=click.IntRange(1), default=64, show_default=True, metavar="N",
              help="Clients at once.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(0.5), default=60, show_default=True, metavar="S",
              help="For each row of the table.")  # fmt: skip
@click.option("--spaces", type=click.IntRange(1), default=8, show_default=True, metavar="N",
              help="That the clients use.")  # fmt: skip
@click.option("--turns", type=click.IntRange(1), default=500, show_default=True, metavar="N",
              help="In each space at first.")  # fmt: skip
@click.option("--settled/--unsettled", default=True, show_default=True,
              help="Whether those are learned from before the clients begin.")  # fmt: skip
@click.option("--postgres", default="", metavar="URL",
              help="An empty database; else a server of the bench's own.")  # fmt: skip
@click.option("--out", type=_FILE, metavar="FILE", help="Also write the JSON here.")
@pass_state
def service(state: State, /, *, stores: tuple[str, ...], processes: str, postgres: str,
            out: Path | None, **amounts: Any) -> None:  # fmt: skip
    """Measure mnemic serve under load on loopback, beside the library, on each store.

    Four of five calls recall, the fifth records, in whatever of some spaces.
    """
    import tempfile

    from bench.scale.service import STORES, ServicePlan, measure_service, table_of

    counts = tuple(map(int, processes.split(",")))
    plan = ServicePlan(stores or STORES, counts, **amounts)
    with tempfile.TemporaryDirectory() as folder:
        rows = measure_service(Path(folder), plan, postgres=postgres, tell=note)
    _write(rows, out)
    emit(rows) if state.json else click.echo(table_of(rows))


@bench.command()
@click.option("--data", type=_DATA, multiple=True, metavar="FILE...",
              help="Data files, or a folder of them.")  # fmt: skip
@click.argument("more", type=_DATA, nargs=-1, metavar="[FILE]...")
@click.option("--baseline", type=click.Choice((*_BASELINES, "none")), multiple=True,
              help="Compare with these. [default: each of them]")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most N banks of a file.")
@click.option("--categories", is_flag=True, help="Also show each kind of question.")
@click.option("--out", type=_FILE, metavar="FILE", help="Also write the JSON here.")
@click.option("--plot", type=_FILE, metavar="PNG", help="Draw recall@10 of each file.")
@pass_state
def recall(
    state: State,
    *,
    data: tuple[Path, ...],
    more: tuple[Path, ...],
    baseline: tuple[str, ...],
    limit: int | None,
    categories: bool,
    out: Path | None,
    plot: Path | None,
) -> None:
    """Measure how much of the evidence is found, on published data or bank files.

    Reads LoCoMo, LongMemEval, BEAM (its folder of chats) and MemDaily as they are published, and
    bank files, which have one memory a line: {"bank", "items": [{"id", "text", "timestamp",
    "speaker", "session"}], "questions": [{"id", "query", "gold", "category", "avoid", "answer"}]}.
    """
    from bench import plots
    from bench.banks import find_files
    from bench.recall import measure_recall
    from bench.retrievers import BASELINES, OURS, RETRIEVERS, Mnemic
    from bench.tables import show_recall

    if not (data or more):
        raise click.UsageError("Name data files: --data FILE...")
    if plot is not None:
        plots.require_matplotlib()
    rivals = [name for name in baseline or BASELINES if name != "none"]
    ours = partial(Mnemic, state.preset or "default", state.setting_overrides())
    report = measure_recall(
        find_files([*data, *more]),
        names=[OURS, *rivals],
        limit=limit,
        tell=note,
        factories={**RETRIEVERS, OURS: ours},
    )
    if plot is not None:
        plots.plot_recall(report, plot)
    _write(report, out)
    if state.json:
        emit(report)
    else:
        show_recall(report, categories=categories, plain=state.plain)


@bench.command()
@click.argument("data", type=_DATA, nargs=-1, required=True, metavar="PATH...")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most N banks of a file.")
@click.option("--bins", is_flag=True, help="Also show how often a hit of each score is gold.")
@click.option("--out", type=_FILE, metavar="FILE", help="Also write the JSON here.")
@click.option("--plot", type=_FILE, metavar="PNG", help="Draw the calibration of the scores.")
@pass_state
def evidence(
    state: State,
    *,
    data: tuple[Path, ...],
    limit: int | None,
    bins: bool,
    out: Path | None,
    plot: Path | None,
) -> None:
    """Measure what a context shows: precision, tokens, calibration, and nothing where nothing fits.

    Reads what `bench recall` reads. Precision is the share of the evidence lines of a context at
    its defaults that are gold; a memory is gold when one of its sources is. ECE and Brier judge
    the score of a hit as a probability. AUC tells questions of the bank from those of others.
    """
    from bench import plots
    from bench.banks import find_files
    from bench.evidence import measure_evidence
    from bench.retrievers import Mnemic
    from bench.tables import show_evidence

    if plot is not None:
        plots.require_matplotlib()
    ours = partial(Mnemic, state.preset or "default", state.setting_overrides())
    report = measure_evidence(find_files(data), limit=limit, tell=note, open_memory=ours)
    if plot is not None:
        plots.plot_calibration(report, plot)
    _write(report, out)
    if state.json:
        emit(report)
    else:
        show_evidence(report, bins=bins, plain=state.plain)


@bench.command()
@click.argument("data", type=_DATA, nargs=-1, required=True, metavar="PATH...")
@click.option("--out", type=_FILE, required=True, metavar="JSONL",
              help="Keep the answers here; a repeat asks only what is missing.")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most N questions of a file.")
@click.option("--judge", "judge_name", metavar="NAME",
              help="A model of the same provider that judges. [default: the same]")  # fmt: skip
@click.option("--price", type=(click.FloatRange(0), click.FloatRange(0)), metavar="IN OUT",
              help="Price of a million tokens. [default: model.prices]")  # fmt: skip
@pass_state
def qa(
    state: State,
    *,
    data: tuple[Path, ...],
    out: Path,
    limit: int | None,
    judge_name: str | None,
    price: tuple[float, float] | None,
) -> None:
    """Have the configured model answer from Mnemic's contexts, scored by published protocols.

    LoCoMo: F1 by category and a judge. LongMemEval: a judge for each type of question. BEAM: a
    judge for each criterion of the rubric, and the order of events. MemDaily: the choice. The
    memory itself learns by rules, so that the model is asked for answers and verdicts alone.
    """
    from bench.banks import find_files
    from bench.qa.model import CountedModel, Price, model_of
    from bench.qa.run import measure_qa
    from bench.retrievers import Mnemic
    from bench.tables import show_qa

    # The published protocols ask at temperature 0; --set gives another one.
    given = {"model.temperature": 0.0, **state.setting_overrides()}
    costs = None if price is None else Price(*price)
    judge = {"model.name": judge_name} if judge_name else {}
    by_rules = {**state.setting_overrides(), "model.provider": "none"}
    with (
        closing(model_of(_settings(state, given))) as answering,
        closing(model_of(_settings(state, given | judge))) as judging,
    ):
        report = measure_qa(
            find_files(data),
            model=CountedModel(answering, "answer", costs),
            judge=CountedModel(judging, "judge", costs),
            out=out,
            open_memory=lambda clock: Mnemic(state.preset or "default", by_rules, clock),
            limit=limit,
            tell=note,
        )
    if state.json:
        emit(report)
    else:
        show_qa(report, plain=state.plain)


@bench.command()
@click.option("--slips", is_flag=True, help="Also show what went wrong, but for those held out.")
@click.option("--out", type=_FILE, metavar="FILE", help="Also write the JSON here.")
@pass_state
def extraction(state: State, *, slips: bool, out: Path | None) -> None:
    """Measure what is learned without a model, on labeled messages.

    The messages ship with the package, half of them traps from which nothing is to be learned. Held
    out are those no rule was tuned on. Leaves with 1 when the rules fall short of their targets.
    """
    from bench.extraction import measure_extraction
    from bench.tables import show_extraction

    report = measure_extraction()
    _write(report, out)
    if state.json:
        emit(report)
    else:
        show_extraction(report, slips=slips, plain=state.plain)
    if not report.ok:
        raise click.exceptions.Exit(1)


@bench.command()
@click.option("--slips", is_flag=True, help="Also show what went wrong, but for those held out.")
@click.option("--out", type=_FILE, metavar="FILE", help="Also write the JSON here.")
@pass_state
def learning(state: State, *, slips: bool, out: Path | None) -> None:
    """Measure what is known after several sessions, without a model, on labeled conversations.

    Each is lived through on its days; what is current at its end is held against its labels. Held
    out are those no rule was tuned on.
    """
    from bench.learning import measure_learning
    from bench.tables import show_learning

    report = measure_learning()
    _write(report, out)
    if state.json:
        emit(report)
    else:
        show_learning(report, slips=slips, plain=state.plain)


def _settings(state: State, overrides: Mapping[str, Any]) -> Settings:
    from mnemic.settings import find_file, load

    return load(state.preset, file=find_file(), overrides=overrides)


def _write(report: Any, out: Path | None) -> None:
    if out is not None:
        text = json.dumps(plain(report), ensure_ascii=False, indent=2)
        out.write_text(text + "\n", encoding="utf-8")
