"""mnemic show, history"""

from __future__ import annotations

from collections.abc import Sequence

import click

from mnemic.cli.base import Command
from mnemic.cli.conversations import show_turns
from mnemic.cli.event_lines import describe
from mnemic.cli.memories import colour_of, described
from mnemic.cli.output import (
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
from mnemic.cli.phrases import phrase, term
from mnemic.cli.state import State, pass_state
from mnemic.engine.mind import Mind
from mnemic.types import History, Memory, Source, Turn

_PAGE = 1_000  # turns


@click.command(cls=Command)
@click.argument("memory")
@pass_state
def show(state: State, memory: str) -> None:
    """Show a memory, its confidence, and the turns it came from."""
    with state.open() as mind:
        version = mind.get(memory)
        chain = mind.history(memory)
        turns = turns_of(mind, version.sources)
    if state.json:
        shown = described(mind, version)
        emit({"memory": shown, "sources": turns, "versions": chain.versions})
        return
    show_memory(version, mind)
    if turns:
        heading(phrase("Where it was said"))
        show_turns(turns, full=True)
    if len(chain.versions) > 1:
        heading(phrase("Versions"))
        show_versions(chain.versions)


def turns_of(mind: Mind, sources: Sequence[Source]) -> list[Turn]:
    """The source turns of a memory, in order."""
    turns: list[Turn] = []
    for session in dict.fromkeys(source.session for source in sources):
        ids = {source.turn_id for source in sources if source.session == session}
        offset = 0
        while ids and (page := mind.turns(session=session, limit=_PAGE, offset=offset)):
            turns += [turn for turn in page if turn.id in ids]
            ids -= {turn.id for turn in page}
            offset += _PAGE
    return sorted(turns, key=lambda turn: (turn.at, turn.id))


def show_memory(memory: Memory, mind: Mind) -> None:
    """Print all fields of one version, in the words of the preset's document."""
    words = mind.words(memory)
    kind = words.pop(mind.settings.vocabulary.kinds.name)
    entries([ListEntry(term(kind), memory.content, colour=colour_of(memory))])
    about = joined(memory.subject, memory.predicate)
    used = memory.access_count
    facts(
        (
            ("id", memory.id),
            *words.items(),
            ("origin", "" if "source" in words else term(memory.origin)),
            ("tier", phrase("1, in every prompt") if memory.tier == 1 else ""),
            ("status", _status(memory)),
            ("about", f"{about} = {memory.value}" if about and memory.value else about),
            ("said by", term(memory.trust)),
            ("confidence", f"{memory.confidence:.2f}{_confirmed(memory)}"),
            ("importance", f"{memory.importance:.2f}"),
            ("true", _span(when(memory.valid_from), when(memory.valid_to))),
            ("known since", when(memory.created_at)),
            ("expires", when(memory.expires_at)),
            ("ends with", memory.session and phrase("session {id}", id=memory.session)),
            ("offered", memory.offered or ""),
            ("put off to", when(memory.snoozed_until)),
            ("used", phrase("{n:,} times", n=used) if used else ""),
            ("project", _partition(memory)),
            ("tags", " ".join(f"#{tag}" for tag in memory.tags)),
            ("metadata", joined(*(f"{key}={value}" for key, value in memory.metadata.items()))),
            ("episode", memory.episode),
        )
    )


def _status(memory: Memory) -> str:
    if memory.superseded_by:
        return phrase(
            "{status} by {id} on {time}",
            status=term(memory.status),
            id=memory.superseded_by,
            time=when(memory.superseded_at),
        )
    return term(memory.status)


def _span(first: str, last: str) -> str:
    return phrase("{first} to {last}", first=first, last=last or phrase("now"))


def _confirmed(memory: Memory) -> str:
    times = memory.confirmations
    return phrase(", said again or confirmed {n:,} ×", n=times) if times else ""


def _partition(memory: Memory) -> str:
    return joined(*(name for name in (memory.project, memory.topic) if not name.startswith("_")))


@click.command(cls=Command)
@click.argument("memory")
@pass_state
def history(state: State, memory: str) -> None:
    """Show every version of a memory, oldest first, and what happened to it."""
    with state.open() as mind:
        chain = mind.history(memory)
    if state.json:
        emit(chain, rows=chain.versions)
    else:
        show_history(chain)


def show_history(history: History, *, margin: int = 0) -> None:
    """Print versions with the days each held, then their events."""
    show_versions(history.versions, margin=margin)
    names = _names(history.versions)
    indent = margin + max(map(len, names.values()), default=0) + 2
    for event in history.events:
        line = (
            f"{when(event.at)}  {names.get(event.subject) or phrase('it')} {describe(event, names)}"
        )
        say(dim(indented(line, indent)))


def show_versions(versions: Sequence[Memory], *, margin: int = 0) -> None:
    """Print each version, and the days it held."""
    names = _names(versions)
    entries(
        (
            ListEntry(
                names[version.id],
                version.content,
                (joined(version.id, term(version.status), _believed(version)),),
                colour_of(version),
            )
            for version in versions
        ),
        margin=margin,
    )


def _names(versions: Sequence[Memory]) -> dict[str, str]:
    return {version.id: f"v{number}" for number, version in enumerate(versions, 1)}


def _believed(version: Memory) -> str:
    """The days it held; a pending or rejected one never did."""
    since = when(version.created_at)[:10]
    if version.status in ("pending", "rejected"):
        return since
    ended = None if version.status == "active" else version.superseded_at or version.updated_at
    return _span(since, when(ended)[:10])
