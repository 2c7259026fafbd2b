"""mnemic audit"""

from __future__ import annotations

import click

from mnemic.cli.base import Command
from mnemic.cli.output import bold, dim, emit, indented, note, pad, say
from mnemic.cli.phrases import phrase, sentence, term
from mnemic.cli.state import State, pass_state


@click.command(cls=Command)
@pass_state
def audit(state: State) -> None:
    """Report duplicate, stale, contradictory, unsupported, secret and orphaned memories."""
    from mnemic.cli.progress import portion

    with state.open() as mind, portion(phrase("Auditing")) as progress:
        report = mind.audit(progress=progress)
    if state.json:
        rates = {check.name: check.rate for check in report.checks}
        emit({"space": report.space, "at": report.at, "memories": report.memories, "rates": rates,
              "checks": report.checks}, rows=report.checks)  # fmt: skip
        return
    if not report.memories:
        note(phrase("There are no memories."))
    for check in report.checks:
        figures = phrase("{found:,} of {all:,}", found=check.found, all=check.of)
        say(bold(pad(term(check.name), 14)) + f"{check.rate:6.1%}  {figures}")
        for id_, what in check.examples:
            say(dim(indented(f"{id_}  {sentence(what)}", 4)))
        if check.found:
            say(dim(indented(phrase("To repair: {remedy}", remedy=sentence(check.remedy)), 4)))
