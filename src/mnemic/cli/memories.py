"""mnemic add, memories, reveal, edit, archive, restore, delete"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from mnemic.cli.output import (
    ListEntry,
    answer,
    ask_first,
    cut,
    dim,
    emit,
    entries,
    flat,
    join_parts,
    note,
    say,
    waiting_line,
    when,
)
from mnemic.cli.params import metadata_of, text_or_stdin, whole_id
from mnemic.cli.phrases import count_things, phrase, sentence, term
from mnemic.cli.state import State
from mnemic.engine.mind import Mind
from mnemic.plain import plain
from mnemic.settings.vocabulary import PresetVocabulary, Words
from mnemic.types import Memory, MemoryStatus, Stats

_T = TypeVar("_T")
_COLORS: dict[MemoryStatus, str | None] = {
    "active": "green",
    "pending": "yellow",
    "superseded": "blue",
    "rejected": "red",
    "archived": "blue",
}


def pick_given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, as the library takes them."""
    chosen = {name: value for name, value in options.items() if value not in (None, ())}
    if "metadata" in chosen:
        chosen["metadata"] = metadata_of(chosen["metadata"])
    return chosen


def add(state: State, /, *, text: str | None, kind: str | None, **options: Any) -> None:
    statement = None
    if kind == "credential" and text is None and sys.stdin.isatty():
        statement = str(click.prompt(phrase("The secret"), hide_input=True, err=True))
    wanted = {name: None if value == "never" else value for name, value in options.items()}
    with state.open(create=True) as mind:
        wanted["sources"] = tuple(whole_id(mind, id_) for id_ in options["sources"])
        if options["supersedes"]:
            wanted["supersedes"] = whole_id(mind, options["supersedes"])
        decision = mind.remember(
            text_or_stdin(text, "the statement") if statement is None else statement,
            kind=kind or "",
            **pick_given(wanted),
        )
    if state.json:
        became = {"outcome": decision.outcome, "reason": decision.reason}
        record = {} if decision.memory is None else describe_memory(mind, decision.memory)
        emit({**record, **became, "replaced": decision.replaced})
        return
    word, memory = kind or "fact", decision.memory
    if memory is not None:
        word = mind.settings.vocabulary.kinds.word_of(memory.kind, memory.metadata)
    say(f"{term(decision.outcome)}  {term(word)}  "
        f"{dim(decision.id)}{decision.reason and f'  {sentence(decision.reason)}'}")  # fmt: skip
    for id_ in decision.replaced:
        say(dim(phrase("replaces {id}", id=id_)))


def memories(state: State, /, **options: Any) -> None:
    with state.open() as mind:
        listed = mind.memories(**pick_given(options))
        why_none = "" if listed or state.json else _why_none(mind.stats(), len(mind.pending()))
    if why_none:
        note(why_none)
    show = partial(show_memories, listed, words=mind.settings.vocabulary)
    answer([describe_memory(mind, memory) for memory in listed], show)


def _why_none(stats: Stats, pending: int) -> str:
    """Why there is nothing to list, and what to do about it."""
    unread = stats.turn_states["new"] + stats.turn_states["failed"]
    if stats.memories:
        return phrase("No memories match.")
    if stats.model_wait is not None:
        return phrase("There are no memories yet: {wait}.", wait=waiting_line(stats.model_wait))
    if pending:
        statements = count_things(pending, "statement awaits", "statements await")
        return phrase(
            "There are no memories yet: {statements} confirmation; see mnemic pending.",
            statements=statements,
        )
    if unread:
        turns = count_things(unread, "turn waits", "turns wait")
        return phrase(
            "There are no memories yet: {turns} to be read. To learn now: mnemic worker --once",
            turns=turns,
        )
    if stats.turns:
        turns = count_things(stats.turns, "turn")
        return phrase(
            "There are no memories: nothing in {turns} was worth keeping. See mnemic turns for the"
            " reasons, or keep something with mnemic add.",
            turns=turns,
        )
    return phrase(
        "There are no memories: nothing has been recorded yet. See mnemic record, import and add."
    )


def describe_memory(mind: Mind, memory: Memory) -> dict[str, Any]:
    """A memory as JSON values, also in the words of the preset's document."""
    return {**plain(memory), **mind.words(memory)}


def show_memories(memories: Iterable[Memory], *, words: PresetVocabulary | None = None) -> None:
    """Print memories, each with its kind in the color of its status."""
    kinds = (words or PresetVocabulary()).kinds
    entries(_entry(memory, kinds) for memory in memories)


def _entry(memory: Memory, kinds: Words) -> ListEntry:
    about = join_parts(
        memory.id,
        _since(memory),
        "" if memory.status == "active" else term(memory.status),
        "" if memory.trust == "owner" else phrase("said by {who}", who=term(memory.trust)),
        phrase("until {time}", time=when(memory.expires_at)) if memory.expires_at else "",
        _source(memory),
        "" if memory.project.startswith("_") else memory.project,
        *(f"#{tag}" for tag in memory.tags),
    )
    mark = term(kinds.word_of(memory.kind, memory.metadata))
    return ListEntry(mark, memory.text, (about,), color_of(memory))


def _since(memory: Memory) -> str:
    """Since when it is true and, where that is another day, when it was learned."""
    true, learned = when(memory.valid_from), when(memory.created_at)
    if memory.valid_from.date() == memory.created_at.date():
        return learned
    return join_parts(true, phrase("learned {time}", time=learned))


def _source(memory: Memory) -> str:
    """The latest source, and the number of others."""
    if not memory.sources:
        return ""
    last = memory.sources[-1]
    place = f"{last.session} #{last.index}"
    more = len(memory.sources) - 1
    return phrase("{place} and {n} more", place=place, n=more) if more else place


def color_of(memory: Memory) -> str | None:
    return _COLORS[memory.status]


def reveal(state: State, memory: str, yes: bool) -> None:
    with state.open() as mind:
        memory = whole_id(mind, memory)
        version = mind.get(memory)
        if not yes:
            question = phrase("Show the secret of {name}?", name=version.subject or memory)
            ask_first(state, question, "show it")
        secret = mind.reveal(memory)
    answer({"id": memory, "secret": secret}, lambda: say(secret))


_QUESTION = 60  # cells of a statement in a question


def edit(state: State, /, memory: str, **options: Any) -> None:
    changes = pick_given(options)
    if not changes:
        raise click.UsageError("Pass what to change, such as --text or --importance.")
    with state.open() as mind:
        memory = whole_id(mind, memory)
        edited = mind.edit(memory, **changes)
    if edited.id == memory and not state.json:
        note(phrase("Nothing to change."))
    show = partial(show_memories, [edited], words=mind.settings.vocabulary)
    answer(describe_memory(mind, edited), show)


def archive(state: State, memory: tuple[str, ...]) -> None:
    do_each(state, memory, lambda mind, id_: mind.archive(id_), lambda _: phrase("archived"))


def restore(state: State, memory: tuple[str, ...]) -> None:
    if Path(memory[0]).is_file():
        raise click.UsageError("A database is made from a backup by mnemic restore-backup.")
    do_each(state, memory, lambda mind, id_: mind.restore(id_), lambda _: phrase("restored"))


def delete(state: State, memory: tuple[str, ...], yes: bool) -> None:
    def remove(mind: Mind, id_: str) -> Memory:
        if not yes:
            statement = cut(flat(mind.get(id_).text), _QUESTION)
            ask_first(state, phrase("Delete “{text}”?", text=statement), "delete it")
        return mind.delete(id_)

    do_each(state, memory, remove, lambda _: phrase("deleted"))


def do_each(
    state: State,
    ids: tuple[str, ...],
    act: Callable[[Mind, str], _T],
    describe: Callable[[_T], str],
) -> None:
    """Do the same to each; an error stops the rest, and the command may be repeated."""
    done: list[_T] = []
    with state.open() as mind:
        for id_ in [whole_id(mind, prefix) for prefix in ids]:
            done.append(act(mind, id_))
            if not state.json:
                say(f"{id_}  {describe(done[-1])}")
    if state.json:
        emit(done)
