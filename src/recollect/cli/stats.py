"""recollect stats"""

from __future__ import annotations

import click

from recollect.cli.base import Command
from recollect.cli.output import counted, emit, facts, size, when
from recollect.cli.state import State, pass_state
from recollect.types import Stats


@click.command(cls=Command)
@pass_state
def stats(state: State) -> None:
    """Show the size and the health of a memory."""
    with state.open() as mind:
        found = mind.stats()
    if state.json:
        emit(found)
    else:
        show_stats(found)


def show_stats(found: Stats, *, margin: int = 0) -> None:
    states = ", ".join(f"{count:,} {name}" for name, count in found.turn_states.items() if count)
    lasted = f"{when(found.first_at)} to {when(found.last_at)}" if found.first_at else ""
    jobs = (
        (found.jobs_ready, "waiting"),
        (found.jobs_running, "running"),
        (found.jobs_dead, "dead"),
    )
    told = [
        ("space", found.space),
        ("turns", f"{found.turns:,}" + (f" ({states})" if states else "")),
        ("sessions", f"{found.sessions:,}"),
        ("memories", f"{found.memories:,}"),
        ("episodes", f"{found.episodes:,}"),
        ("attachments", f"{found.attachments:,}"),
        ("events", f"{found.events:,}"),
        ("tokens", f"{found.tokens:,}"),
        ("time", lasted),
        ("jobs", ", ".join(f"{count:,} {name}" for count, name in jobs if count) or "none"),
        ("vectors", f"{found.unembedded:,} records wait for theirs" if found.unembedded else ""),
        ("file", f"{size(found.file_bytes)}, schema {found.schema}"),
        ("worker", found.worker_failure),
        ("recall", found.recall_failure),
        ("to do", _remedy(found)),
    ]
    facts((" " * margin + name, value) for name, value in told if value)


def _remedy(found: Stats) -> str:
    if found.jobs_dead:
        return f"{counted(found.jobs_dead, 'job')} failed for good: see recollect jobs --state dead"
    if found.jobs_ready:
        return "recollect worker runs the waiting jobs as they come due"
    return ""
