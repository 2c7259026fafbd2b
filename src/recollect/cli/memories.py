"""recollect add, memories, reveal"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import datetime

import click

from recollect.cli.base import Command
from recollect.cli.confirmation import agreed
from recollect.cli.output import (
    ListEntry,
    counted,
    dim,
    emit,
    entries,
    joined,
    note,
    say,
    waiting_line,
    when,
)
from recollect.cli.params import moment, text_or_stdin
from recollect.cli.state import State, pass_state
from recollect.types import KINDS, TRUSTS, Kind, Memory, MemoryStatus, Stats, Trust

_SHARE = click.FloatRange(0, 1)
_COLOURS: dict[MemoryStatus, str | None] = {
    "active": "green",
    "pending": "yellow",
    "superseded": "blue",
    "rejected": "red",
    "archived": "blue",
}


@click.command(cls=Command)
@click.argument("text", required=False)
@click.option("--kind", type=click.Choice(KINDS), default="fact", show_default=True)
@click.option("--subject", default="", metavar="TEXT", help="What it is about.")
@click.option("--predicate", default="", metavar="TEXT", help="What is said of the subject.")
@click.option("--value", default="", metavar="TEXT", help="What the predicate is, such as 3.12.")
@click.option("--project", metavar="NAME", help="The project it belongs to. [default: all]")
@click.option("--topic", metavar="NAME", help="The topic within the project.")
@click.option("--tag", "tags", multiple=True, metavar="NAME", help="A label; may be repeated.")
@click.option("--importance", type=_SHARE, default=0.5, show_default=True)
@click.option("--confidence", type=_SHARE, default=1.0, show_default=True)
@click.option("--trust", type=click.Choice(TRUSTS), default="owner", show_default=True)
@click.option("--source", "sources", multiple=True, metavar="ID", help="A turn it came from.")
@click.option("--valid-from", type=moment, help="Since when it is true. [default: now]")
@click.option("--expires-at", type=moment, help="When it stops to matter. [default: never]")
@click.option("--supersedes", metavar="ID", help="The memory this is the next version of.")
@pass_state
def add(
    state: State,
    *,
    text: str | None,
    kind: Kind,
    subject: str,
    predicate: str,
    value: str,
    project: str | None,
    topic: str | None,
    tags: tuple[str, ...],
    importance: float,
    confidence: float,
    trust: Trust,
    sources: tuple[str, ...],
    valid_from: datetime | None,
    expires_at: datetime | None,
    supersedes: str | None,
) -> None:
    """Keep a statement as a memory. TEXT may also be piped in.

    A credential is kept encrypted and found by its --subject. Pipe it in, or leave TEXT out on a
    terminal and type it unseen, so that it does not stay in the history of your shell.
    """
    statement = _typed_unseen() if kind == "credential" and text is None else None
    partition = {"project": project, "topic": topic}
    with state.open(create=True) as mind:
        memory = mind.remember(
            text_or_stdin(text, "the statement") if statement is None else statement,
            kind=kind,
            subject=subject,
            predicate=predicate,
            value=value,
            tags=tags,
            importance=importance,
            confidence=confidence,
            trust=trust,
            valid_from=valid_from,
            expires_at=expires_at,
            sources=sources,
            supersedes=supersedes,
            **{name: value for name, value in partition.items() if value},
        )
    if state.json:
        emit(memory)
    else:
        say(f"{memory.kind}  {dim(memory.id)}")


def _typed_unseen() -> str | None:
    """A secret typed without echo, or None without a terminal."""
    if not sys.stdin.isatty():
        return None
    return str(click.prompt("The secret", hide_input=True, err=True))


@click.command(cls=Command)
@click.option("--kind", type=click.Choice(KINDS), help="Only this kind.")
@click.option("--project", metavar="NAME", help="Only this project.")
@click.option("--as-of", type=moment, help="What was known at that moment.")
@click.option("--limit", "-n", default=50, show_default=True, metavar="N")
@pass_state
def memories(
    state: State, kind: Kind | None, project: str | None, as_of: datetime | None, limit: int
) -> None:
    """List the memories that hold now, or held at a past time, the latest first."""
    with state.open() as mind:
        listed = mind.memories(kind=kind, project=project, as_of=as_of, limit=limit)
        why_none = "" if listed or state.json else _why_none(mind.stats(), len(mind.pending()))
    if state.json:
        emit(listed)
        return
    if why_none:
        note(why_none)
    show_memories(listed)


def _why_none(stats: Stats, pending: int) -> str:
    """Why there is nothing to list, and what to do about it."""
    unread = stats.turn_states["new"] + stats.turn_states["failed"]
    if stats.memories:
        return "No memory is like that."
    if stats.model_wait is not None:
        return f"There are no memories yet: {waiting_line(stats.model_wait)}."
    if pending:
        statements = counted(pending, "statement waits", "statements wait")
        return f"There are no memories yet: {statements} for your word; see recollect pending."
    if unread:
        turns = counted(unread, "turn waits", "turns wait")
        return f"There are no memories yet: {turns} to be read; recollect worker --once reads now."
    if stats.turns:
        turns = counted(stats.turns, "turn")
        return (
            f"There are no memories: {turns} held nothing to keep; see recollect turns for the"
            " reasons, or keep something with recollect add."
        )
    return "There are no memories: nothing was recorded; see recollect record, ingest and add."


def show_memories(memories: Iterable[Memory], *, margin: int = 0) -> None:
    """Print memories, each with its kind in the colour of its status."""
    entries(map(_entry, memories), margin=margin)


def _entry(memory: Memory) -> ListEntry:
    about = joined(
        memory.id,
        when(memory.created_at),
        "" if memory.status == "active" else memory.status,
        "" if memory.trust == "owner" else f"said by {memory.trust}",
        f"until {when(memory.expires_at)}" if memory.expires_at else "",
        _source(memory),
        "" if memory.project.startswith("_") else memory.project,
        *(f"#{tag}" for tag in memory.tags),
    )
    return ListEntry(memory.kind, memory.content, (about,), colour_of(memory))


def _source(memory: Memory) -> str:
    """The latest source, and the number of others."""
    if not memory.sources:
        return ""
    last = memory.sources[-1]
    more = f" and {len(memory.sources) - 1} more" if len(memory.sources) > 1 else ""
    return f"{last.session} #{last.index}{more}"


def colour_of(memory: Memory) -> str | None:
    return _COLOURS[memory.status]


@click.command(cls=Command)
@click.argument("memory")
@click.option("--yes", is_flag=True, help="Show it without asking.")
@pass_state
def reveal(state: State, memory: str, yes: bool) -> None:
    """Show the secret of a credential.

    Nothing else shows it. Asks first on a terminal; elsewhere, and with --json, it has to be told
    --yes.
    """
    with state.open() as mind:
        version = next(v for v in mind.history(memory).versions if v.id == memory)
        if not yes:
            agreed(state, f"Show the secret of {version.subject or memory}?", "show it")
        secret = mind.reveal(memory)
    if state.json:
        emit({"id": memory, "secret": secret})
    else:
        say(secret)
