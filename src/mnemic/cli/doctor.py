"""mnemic doctor"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mnemic.cli.base import Command
from mnemic.cli.output import cells, dim, emit, indented, note, pad, say
from mnemic.cli.phrases import counted, phrase, sentence
from mnemic.cli.state import State, pass_state
from mnemic.mind import Mind
from mnemic.types import Finding


@click.command(cls=Command)
@click.option("--deep", is_flag=True, help="Also read every page of the file; slow when it is big.")
@click.option(
    "--repair",
    is_flag=True,
    help="First mend the text index, orphans, missing vectors and misread memories.",
)
@click.option(
    "--forgotten",
    metavar="RECEIPT",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Also check that nothing is left of what this receipt is for.",
)
@pass_state
@click.pass_context
def doctor(
    ctx: click.Context, state: State, *, deep: bool, repair: bool, forgotten: Path | None
) -> None:
    """Check a database, and repair what can be. Leaves with 1 when something is wrong."""
    receipt = None if forgotten is None else forgotten.read_text("utf-8", "replace")
    with state.open() as mind:
        indexed = _repair(mind) if repair else None
        findings = mind.doctor(deep=deep, forgotten=receipt)
    well = all(finding.ok for finding in findings)
    if state.json:
        document = {"ok": well, "repaired": indexed, "findings": findings}
        emit(document, rows=findings)
    else:
        if indexed is not None:
            records = counted(indexed, "record")
            note(phrase("The text index was rebuilt from {records}.", records=records))
        show_findings(findings)
    ctx.exit(0 if well else 1)


def show_findings(findings: list[Finding]) -> None:
    wide = max(cells(sentence(finding.check)) for finding in findings)
    for finding in findings:
        mark = (
            click.style(pad(phrase("ok"), 4), fg="green")
            if finding.ok
            else click.style(pad(phrase("FAIL"), 4), fg="red")
        )
        indent = wide + 8
        detail = indented(sentence(finding.detail), indent)[indent:]
        say(f"{mark}  {pad(sentence(finding.check), wide)}  {detail}".rstrip())
        if finding.remedy:
            say(dim(indented(sentence(finding.remedy), indent)))


def _repair(mind: Mind) -> int:
    if not sys.stderr.isatty():
        return mind.repair()
    from mnemic.cli.progress import counting

    stats = mind.stats()
    total = stats.turns + stats.memories + stats.attachments
    with counting(phrase("Rebuilding the text index"), total) as advance:
        return mind.repair(advance)
