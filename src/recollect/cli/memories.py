"""recollect add, memories, history"""

from __future__ import annotations

from datetime import datetime

import click

from recollect.cli.base import Command
from recollect.cli.output import bold, dim, emit, indented, note, pad, say, when
from recollect.cli.params import moment, text_or_stdin
from recollect.cli.state import State, pass_state
from recollect.types import KINDS, TRUSTS, History, Kind, Memory, Trust

_SHARE = click.FloatRange(0, 1)


@click.command(cls=Command)
@click.argument("text", required=False)
@click.option("--kind", type=click.Choice(KINDS), default="fact", show_default=True)
@click.option("--subject", default="", metavar="TEXT", help="What it is about.")
@click.option("--predicate", default="", metavar="TEXT", help="What is said of the subject.")
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
    """Keep a statement as a memory. TEXT may also be piped in."""
    partition = {"project": project, "topic": topic}
    with state.open(create=True) as mind:
        memory = mind.remember(
            text_or_stdin(text, "the statement"),
            kind=kind,
            subject=subject,
            predicate=predicate,
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


@click.command(cls=Command)
@click.option("--kind", type=click.Choice(KINDS), help="Only this kind.")
@click.option("--project", metavar="NAME", help="Only this project.")
@click.option("--limit", "-n", default=50, show_default=True, metavar="N")
@pass_state
def memories(state: State, kind: Kind | None, project: str | None, limit: int) -> None:
    """List the memories that hold now, the latest first."""
    with state.open() as mind:
        found = mind.memories(kind=kind, project=project, limit=limit)
    if state.json:
        emit(found)
        return
    if not found:
        note("There are no memories.")
    wide = max((len(memory.kind) for memory in found), default=0)
    for memory in found:
        say(bold(pad(memory.kind, wide)) + indented(memory.content, wide + 2)[wide:])
        say(dim(indented(_about(memory), wide + 2)))


def _about(memory: Memory) -> str:
    parts = [memory.id, when(memory.created_at)]
    if not memory.project.startswith("_"):
        parts.append(memory.project)
    return " · ".join([*parts, *(f"#{tag}" for tag in memory.tags)])


@click.command(cls=Command)
@click.argument("memory")
@pass_state
def history(state: State, memory: str) -> None:
    """Show every version of a memory, oldest first, and what happened to it."""
    with state.open() as mind:
        found = mind.history(memory)
    if state.json:
        emit(found)
    else:
        show_history(found)


def show_history(found: History, *, margin: int = 0) -> None:
    """Versions with the days each held, then what happened to them."""
    left = margin + 4
    names = {version.id: f"v{number}" for number, version in enumerate(found.versions, 1)}
    for version in found.versions:
        since, until = when(version.created_at)[:10], when(version.superseded_at)[:10] or "now"
        named = pad(" " * margin + names[version.id], left)
        say(bold(named) + indented(version.content, left)[left:])
        say(dim(indented(f"{version.id} · {since} to {until}", left)))
    for event in found.events:
        say(dim(indented(f"{when(event.at)}  {event.type} {names[event.subject]}", left)))
