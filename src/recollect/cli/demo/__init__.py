"""recollect demo"""

from __future__ import annotations

import contextlib
import io
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click

from recollect.cli.base import Command
from recollect.cli.demo.day import changed_mind
from recollect.cli.demo.stage import DEFAULT_FILE, Stage, make_room, next_free
from recollect.cli.demo.steps import STEPS
from recollect.cli.demo.story import LASTS
from recollect.cli.output import bold, dim, emit, say
from recollect.cli.state import State, pass_state


@click.command(cls=Command)
@click.option("--keep", is_flag=True, help="Keep the file of an earlier run; write another one.")
@pass_state
def demo(state: State, keep: bool) -> None:
    """See it at work, with no key and no network.

    Writes ./recollect-demo.db, or the file --db names, anew each time, and leaves it for you to
    try the other commands on. A file that is not a demo of its own is never touched.
    """
    path = Path(state.db or DEFAULT_FILE).expanduser().absolute()
    if keep:
        path = next_free(path)
    make_room(path)
    started = time.monotonic()
    silence = io.StringIO()
    with contextlib.redirect_stdout(silence) if state.json else contextlib.nullcontext():
        acts = _play(path)
        _farewell(path, acts, time.monotonic() - started)
    if state.json:
        emit({"path": path, "seconds": round(time.monotonic() - started, 2), "steps": acts})


def _play(path: Path) -> list[dict[str, Any]]:
    """Every step in its order; the story ends today."""
    morning = datetime.now().astimezone().replace(hour=9, minute=0, second=0, microsecond=0)
    acts: list[dict[str, Any]] = []
    with Stage(path, morning - timedelta(days=LASTS)) as stage:
        for number, step in enumerate(STEPS, 1):
            title = (step.__doc__ or step.__name__).strip()
            say()
            say(bold(f"{number}. {title}"))
            acts.append({"step": step.__name__, "title": title, "facts": step(stage)})
    return acts


def _farewell(path: Path, acts: list[dict[str, Any]], seconds: float) -> None:
    changed = next(act["facts"]["memory"] for act in acts if act["step"] == changed_mind.__name__)
    try:
        shown = path.relative_to(Path.cwd())
    except ValueError:
        shown = path
    say()
    say(bold(f"That took {seconds:.1f} s. The memory is in {shown}; try it:"))
    for arguments in (
        'search "Python 版本"',
        f"show {changed}",
        f"memories --as-of {_long_ago():%Y-%m-%d}",
        "turns --session demo-kyoto --full",
        "episodes --full",
        'context "还记得我用哪个 Python 吗？"',
        "rollback --source session:demo-upgrade --dry-run",
        "events --daily",
        "doctor --deep",
    ):
        say(f"  recollect {arguments} {dim(f'--db {shown}')}")


def _long_ago() -> datetime:
    """A day of the story when the old Python was in use."""
    return datetime.now().astimezone() - timedelta(days=30)
