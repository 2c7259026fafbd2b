"""recollect show, history"""

from __future__ import annotations

from collections.abc import Sequence

import click

from recollect.cli.base import Command
from recollect.cli.event_lines import told
from recollect.cli.memories import colour_of
from recollect.cli.output import (
    ListEntry,
    dim,
    emit,
    entries,
    facts,
    heading,
    indented,
    joined,
    say,
    when,
)
from recollect.cli.state import State, pass_state
from recollect.cli.turns import show_turns
from recollect.mind import Mind
from recollect.types import History, Memory, Source, Turn

_PAGE = 1_000  # turns


@click.command(cls=Command)
@click.argument("memory")
@pass_state
def show(state: State, memory: str) -> None:
    """Show a memory, how far it is believed, and who said it where."""
    with state.open() as mind:
        chain = mind.history(memory)
        found = next(version for version in chain.versions if version.id == memory)
        said = turns_of(mind, found.sources)
    if state.json:
        emit({"memory": found, "sources": said, "versions": chain.versions})
        return
    show_memory(found)
    if said:
        heading("Where it was said")
        show_turns(said, full=True)
    if len(chain.versions) > 1:
        heading("Versions")
        show_versions(chain.versions)


def turns_of(mind: Mind, sources: Sequence[Source]) -> list[Turn]:
    """The turns that a memory came from, in the order they were said."""
    found: list[Turn] = []
    for session in dict.fromkeys(source.session for source in sources):
        ids = {source.turn_id for source in sources if source.session == session}
        offset = 0
        while ids and (page := mind.turns(session=session, limit=_PAGE, offset=offset)):
            found += [turn for turn in page if turn.id in ids]
            ids -= {turn.id for turn in page}
            offset += _PAGE
    return sorted(found, key=lambda turn: (turn.at, turn.id))


def show_memory(memory: Memory, *, margin: int = 0) -> None:
    """Everything that is known of one version."""
    entries([ListEntry(memory.kind, memory.content, colour=colour_of(memory))], margin=margin)
    about = joined(memory.subject, memory.predicate)
    facts(
        (" " * margin + name, value)
        for name, value in (
            ("id", memory.id),
            ("status", _status(memory)),
            ("about", f"{about} = {memory.value}" if about and memory.value else about),
            ("said by", memory.trust),
            ("confidence", _share(memory.confidence) + _confirmed(memory)),
            ("importance", _share(memory.importance)),
            ("true", f"{when(memory.valid_from)} to {when(memory.valid_to) or 'now'}"),
            ("known since", when(memory.created_at)),
            ("expires", when(memory.expires_at)),
            ("ends with", memory.session and f"session {memory.session}"),
            ("offered", memory.offered or ""),
            ("put off to", when(memory.snoozed_until)),
            ("used", f"{memory.access_count:,} times" if memory.access_count else ""),
            ("project", _partition(memory)),
            ("tags", " ".join(f"#{tag}" for tag in memory.tags)),
            ("episode", memory.episode),
        )
        if value
    )


def _status(memory: Memory) -> str:
    if memory.superseded_by:
        return f"{memory.status} by {memory.superseded_by} on {when(memory.superseded_at)}"
    return memory.status


def _share(number: float) -> str:
    return f"{number:.2f}"


def _confirmed(memory: Memory) -> str:
    return f", said again or confirmed {memory.confirmations:,} ×" if memory.confirmations else ""


def _partition(memory: Memory) -> str:
    return joined(*(name for name in (memory.project, memory.topic) if not name.startswith("_")))


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
    show_versions(found.versions, margin=margin)
    names = _names(found.versions)
    left = margin + max(map(len, names.values())) + 2
    for event in found.events:
        line = f"{when(event.at)}  {names[event.subject]} {told(event, names)}"
        say(dim(indented(line, left)))


def show_versions(versions: Sequence[Memory], *, margin: int = 0) -> None:
    """Each version, and from when to when it was believed."""
    names = _names(versions)
    entries(
        (
            ListEntry(
                names[version.id],
                version.content,
                (joined(version.id, version.status, _believed(version)),),
                colour_of(version),
            )
            for version in versions
        ),
        margin=margin,
    )


def _names(versions: Sequence[Memory]) -> dict[str, str]:
    return {version.id: f"v{number}" for number, version in enumerate(versions, 1)}


def _believed(version: Memory) -> str:
    """The days it was believed; a pending or rejected one never was."""
    since = when(version.created_at)[:10]
    if version.status in ("pending", "rejected"):
        return since
    ended = None if version.status == "active" else version.superseded_at or version.updated_at
    return f"{since} to {when(ended)[:10] or 'now'}"
