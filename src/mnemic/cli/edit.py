"""mnemic edit, archive, restore, delete"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mnemic.cli.base import Command
from mnemic.cli.confirmation import agreed
from mnemic.cli.memories import described, details, given, show_memories
from mnemic.cli.output import cut, emit, flat, note, say
from mnemic.cli.params import KindName
from mnemic.cli.phrases import phrase
from mnemic.cli.state import State, pass_state
from mnemic.mind import Mind
from mnemic.types import Memory

_QUESTION = 60  # cells of a statement in a question


@click.command(cls=Command)
@click.argument("memory")
@click.option("--text", metavar="TEXT", help="Other words for it.")
@click.option("--kind", type=KindName(), help="Another kind.")
@details
@pass_state
def edit(state: State, /, memory: str, **options: Any) -> None:
    """Change a memory.

    What is given becomes its next version, and what is not stays. Tags and metadata that are given
    take the place of all there were.
    """
    changes = given(options)
    if not changes:
        raise click.UsageError("Say what to change, such as --text or --importance.")
    with state.open() as mind:
        edited = mind.edit(memory, **changes)
    if state.json:
        emit(described(mind, edited))
        return
    if edited.id == memory:
        note(phrase("Nothing differs."))
    show_memories([edited], words=mind.settings.vocabulary)


@click.command(cls=Command)
@click.argument("memory", nargs=-1, required=True)
@pass_state
def archive(state: State, memory: tuple[str, ...]) -> None:
    """Put memories away.

    They are not recalled any more; mnemic restore brings them back.
    """
    _each(state, memory, lambda mind, id_: mind.archive(id_), "archived")


@click.command(cls=Command)
@click.argument("memory", nargs=-1, required=True)
@pass_state
def restore(state: State, memory: tuple[str, ...]) -> None:
    """Make archived memories hold again."""
    if Path(memory[0]).is_file():
        raise click.UsageError("A database is made from a backup by mnemic restore-backup.")
    _each(state, memory, lambda mind, id_: mind.restore(id_), "holds again")


@click.command(cls=Command)
@click.argument("memory", nargs=-1, required=True)
@click.option("--yes", "-y", is_flag=True, help="Do not ask first.")
@pass_state
def delete(state: State, memory: tuple[str, ...], yes: bool) -> None:
    """Remove memories with all their versions.

    Their turns stay, and they are not learnt from these again. mnemic forget removes what was
    said as well, and proves it.
    """

    def remove(mind: Mind, id_: str) -> Memory:
        if not yes:
            statement = cut(flat(mind.get(id_).content), _QUESTION)
            agreed(state, phrase("Delete “{text}”?", text=statement), "delete it")
        return mind.delete(id_)

    _each(state, memory, remove, "deleted")


def _each(
    state: State, ids: tuple[str, ...], act: Callable[[Mind, str], Memory], outcome: str
) -> None:
    """Do the same to each; an error stops the rest, and the command may be repeated."""
    done: list[Memory] = []
    with state.open() as mind:
        for id_ in ids:
            done.append(act(mind, id_))
            if not state.json:
                say(f"{id_}  {phrase(outcome)}")
    if state.json:
        emit(done)
