"""The demo, which `make demo` runs: a bilingual story over several sessions and a night."""

from __future__ import annotations

import contextlib
import io
import json
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click

from examples.demo.day import (
    changed_mind,
    first_words,
    pending_questions,
    poison_and_secret,
    tool_traffic,
)
from examples.demo.night import figures, night, prompt, questions, sudden_death
from examples.demo.stage import DEFAULT_FILE, Stage, next_free, remove_earlier
from examples.demo.story import LASTS
from mnemic.cli.base import Command
from mnemic.cli.output import bold, dim, emit, say
from mnemic.cli.phrases import catalog, phrase
from mnemic.cli.state import State

for name, texts in json.loads(Path(__file__).with_name("zh.json").read_text("utf-8")).items():
    catalog(name).update(texts)

pass_state = click.make_pass_decorator(State, ensure=True)
# The docstring of a step is its title.
STEPS: tuple[Callable[[Stage], Mapping[str, Any]], ...] = (
    first_words,
    tool_traffic,
    poison_and_secret,
    changed_mind,
    pending_questions,
    sudden_death,
    night,
    questions,
    prompt,
    figures,
)


@click.command(cls=Command)
@click.option("--keep", is_flag=True, help="Keep the file of an earlier run; write another one.")
@pass_state
def demo(state: State, keep: bool) -> None:
    """Show what it does, with no key and no network.

    Writes ./mnemic-demo.db, or the file --db names, anew each time, and leaves it for you to
    try the other commands on. A file that is not a demo of its own is never touched.
    """
    path = Path(state.db or DEFAULT_FILE).expanduser().absolute()
    if keep:
        path = next_free(path)
    remove_earlier(path)
    started = time.monotonic()
    silence = io.StringIO()
    with contextlib.redirect_stdout(silence) if state.json else contextlib.nullcontext():
        acts = _play(path)
        _farewell(path, acts, time.monotonic() - started)
    if state.json:
        emit({"path": path, "seconds": round(time.monotonic() - started, 2), "steps": acts})


def _play(path: Path) -> list[dict[str, Any]]:
    """Run every step; the story ends today."""
    morning = datetime.now().astimezone().replace(hour=9, minute=0, second=0, microsecond=0)
    acts: list[dict[str, Any]] = []
    with Stage(path, morning - timedelta(days=LASTS)) as stage:
        for number, step in enumerate(STEPS, 1):
            title = (step.__doc__ or step.__name__).strip()
            say()
            say(bold(f"{number}. {phrase(title)}"))
            acts.append({"step": step.__name__, "title": title, "facts": step(stage)})
    return acts


def _farewell(path: Path, acts: list[dict[str, Any]], seconds: float) -> None:
    changed = next(act["facts"]["memory"] for act in acts if act["step"] == changed_mind.__name__)
    try:
        name = path.relative_to(Path.cwd())
    except ValueError:
        name = path
    say()
    say(bold(phrase(
        "That took {seconds:.1f} s. The memory is in {file}; try it:", seconds=seconds, file=name
    )))  # fmt: skip
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
        say(f"  mnemic {arguments} {dim(f'--db {name}')}")


def _long_ago() -> datetime:
    """A day of the story when the old Python was in use."""
    return datetime.now().astimezone() - timedelta(days=30)
