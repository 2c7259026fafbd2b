"""recollect audit"""

from __future__ import annotations

import click

from recollect.cli.base import Command
from recollect.cli.output import bold, dim, emit, indented, note, pad, say
from recollect.cli.state import State, pass_state


@click.command(cls=Command)
@pass_state
def audit(state: State) -> None:
    """Say how good a memory is: duplicates, stale, contradictory, unfounded, secret, orphaned."""
    with state.open() as mind:
        found = mind.audit()
    if state.json:
        rates = {check.name: check.rate for check in found.checks}
        emit({"space": found.space, "at": found.at, "memories": found.memories, "rates": rates,
              "checks": found.checks})  # fmt: skip
        return
    if not found.memories:
        note("There are no memories.")
    for check in found.checks:
        told = f"{check.rate:6.1%}  {check.found:,} of {check.of:,}"
        say(bold(pad(check.name, 14)) + told)
        for id_, what in check.examples:
            say(dim(indented(f"{id_}  {what}", 4)))
        if check.found:
            say(dim(indented(f"To mend: {check.remedy}", 4)))
