"""Mnemic beside other memories on data files: `make compare COMPARE_DATA=FILE`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from bench.banks import find_files
from bench.compare.environments import ROOT, Environments
from bench.compare.measure import Row, Sample, compare
from bench.compare.peers import PEERS
from bench.figures import surroundings
from mnemic.errors import MnemicError
from mnemic.plain import plain

_COLUMNS = ("recall@5", "recall@10", "mrr")


def _tell(line: str) -> None:
    click.echo(line, err=True)


@click.command()
@click.argument("data", type=click.Path(exists=True, path_type=Path), nargs=-1, required=True)
@click.option("--peer", "names", type=click.Choice(list(PEERS)), multiple=True,
              help="[default: each of them]")  # fmt: skip
@click.option("--banks", type=click.IntRange(1), metavar="N", help="At most N banks of a file.")
@click.option("--questions", type=click.IntRange(1), metavar="N",
              help="At most N questions of a bank, drawn with a fixed seed.")  # fmt: skip
@click.option("--environments", type=click.Path(file_okay=False, path_type=Path),
              default=ROOT / ".venv-compare", help="Where the peers are installed.")  # fmt: skip
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Also write JSON here."
)
def main(
    data: tuple[Path, ...],
    *,
    names: tuple[str, ...],
    banks: int | None,
    questions: int | None,
    environments: Path,
    out: Path | None,
) -> None:
    """Ask Mnemic and its peers the same questions of the same banks.

    DATA is whatever `python -m bench recall` reads. Each peer runs in an environment of its own,
    which is made when it is first used. Prints one table a file, in Markdown.
    """
    peers = [PEERS[name] for name in names or PEERS]
    try:
        rows = compare(
            find_files(data),
            peers,
            Environments(environments, _tell),
            Sample(banks, questions),
            _tell,
        )
    except MnemicError as error:
        raise click.ClickException(str(error)) from error
    for file in dict.fromkeys(row.file for row in rows):
        click.echo("\n".join(table([row for row in rows if row.file == file])) + "\n")
    if out is not None:
        report = {"surroundings": surroundings(), "rows": plain(rows)}
        out.write_text(json.dumps(report, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def table(rows: Sequence[Row]) -> list[str]:
    """The rows of one file in Markdown."""
    measured = next((row for row in rows if not row.failure), None)
    if measured is None:
        columns: list[str] = []
        size = "no peer could be measured"
    else:
        columns = list(measured.metrics)
        size = f"{measured.banks} banks, {measured.items:,} items, {measured.questions:,} questions"
    heads = [*columns, "AUC", "ingest, ms an item", "search, ms"]
    lines = [f"**{rows[0].file}**: {size}", "", "| | " + " | ".join(heads) + " |"]
    lines.append("|---" * (len(heads) + 1) + "|")
    for row in rows:
        name = f"{row.peer} {row.version}".strip()
        if row.failure:
            lines.append(f"| {name} | not measured: {row.failure} |" + " |" * (len(heads) - 1))
            continue
        figures = [f"{row.metrics[column].value:.3f}" for column in columns]
        told = "–" if row.auc is None else f"{row.auc:.3f}"
        costs = [f"{row.ingest_ms:.2f}", f"{row.search_ms:.2f}"]
        lines.append(f"| {name} | " + " | ".join([*figures, told, *costs]) + " |")
    return lines


if __name__ == "__main__":
    main(prog_name="python -m bench.compare")
