"""recollect jobs"""

from __future__ import annotations

import json

import click

from recollect.cli.base import Group
from recollect.cli.output import bold, counted, dim, emit, facts, indented, note, pad, say, when
from recollect.cli.state import State, pass_state
from recollect.errors import NotFound
from recollect.types import Job, JobState

_ALL = 1_000_000


@click.command(cls=Group, invoke_without_command=True)
@click.option("--state", "job_state", type=click.Choice(("ready", "running", "dead")))
@click.option("--limit", "-n", default=50, show_default=True, metavar="N")
@click.pass_context
def jobs(ctx: click.Context, job_state: JobState | None, limit: int) -> None:
    """List background work; redrive or discard dead jobs."""
    if ctx.invoked_subcommand is not None:
        return
    state = ctx.ensure_object(State)
    with state.open() as mind:
        found = mind.jobs(state=job_state, limit=limit)
    if state.json:
        emit(found)
        return
    if not found:
        note("There are no such jobs." if job_state else "There are no jobs.")
    wide = max((len(job.state) for job in found), default=0)
    for job in found:
        about = f"{job.kind}  {job.key}" + (f"  {job.error}" if job.error else "")
        say(bold(pad(job.state, wide)) + indented(about, wide + 2)[wide:])
        tries = f"try {job.attempts} of {job.max_attempts}"
        say(dim(indented(f"{job.id} · {tries} · due {when(job.run_at)}", wide + 2)))


@jobs.command()
@click.argument("job")
@pass_state
def show(state: State, job: str) -> None:
    """Show everything about a job."""
    with state.open() as mind:
        found = next((one for one in mind.jobs(limit=_ALL) if one.id == job), None)
    if found is None:
        raise NotFound(f"No unfinished job {job}", remedy="See recollect jobs")
    if state.json:
        emit(found)
    else:
        _show(found)


def _show(job: Job) -> None:
    facts(
        [
            ("id", job.id),
            ("kind", job.kind),
            ("key", job.key),
            ("state", job.state),
            ("tries", f"{job.attempts} of {job.max_attempts}"),
            ("due", when(job.run_at)),
            ("queued", when(job.created_at)),
            ("held until", when(job.lease_until)),
            ("payload", json.dumps(job.payload, ensure_ascii=False)),
            ("error", job.error),
        ]
    )


@jobs.command()
@click.argument("job", nargs=-1)
@pass_state
@click.pass_context
def redrive(ctx: click.Context, state: State, job: tuple[str, ...]) -> None:
    """Give dead jobs a fresh start: these, or all."""
    with state.open() as mind:
        count = mind.redrive(job or None)
    _settled(ctx, state, "redriven", count, len(job))


@jobs.command()
@click.argument("job", nargs=-1, required=True)
@pass_state
@click.pass_context
def discard(ctx: click.Context, state: State, job: tuple[str, ...]) -> None:
    """Remove dead jobs for good."""
    with state.open() as mind:
        count = mind.discard(job)
    _settled(ctx, state, "discarded", count, len(job))


def _settled(ctx: click.Context, state: State, word: str, count: int, asked: int) -> None:
    """Say how many; fewer than were asked for is a failure."""
    if state.json:
        emit({word: count})
    else:
        say(f"{counted(count, 'job')} {word}.")
    if count < asked:
        note(f"{counted(asked - count, 'id')} named no dead job.")
        ctx.exit(1)
