"""mnemic pending"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import click

from mnemic.cli.memories import color_of, describe_memory, do_each
from mnemic.cli.output import ListEntry, emit, entries, join_parts, note, say, when
from mnemic.cli.phrases import count_things, phrase, sentence, term
from mnemic.cli.state import State
from mnemic.engine.mind import Mind
from mnemic.settings.vocabulary import PresetVocabulary, Words
from mnemic.types import Decision, Memory

_ANSWERS = {
    "y": "yes, keep it", "n": "no, and do not ask again", "l": "later", "s": "skip", "q": "stop",
}  # fmt: skip


def pending(state: State, only_list: bool, limit: int) -> None:
    with state.open() as mind:
        waiting = mind.pending(limit=limit)
        if state.json:
            emit([describe_memory(mind, memory) for memory in waiting])
        elif not waiting:
            note(phrase("Nothing is awaiting confirmation."))
        elif only_list or not (sys.stdin.isatty() and sys.stdout.isatty()):
            show_pending(waiting, words=mind.settings.vocabulary)
        else:
            _ask(mind, waiting)


def show_pending(memories: Iterable[Memory], *, words: PresetVocabulary | None = None) -> None:
    """Print pending statements with their trust and confidence."""
    kinds = (words or PresetVocabulary()).kinds
    entries(_entry(memory, kinds) for memory in memories)


def _entry(memory: Memory, kinds: Words) -> ListEntry:
    until = memory.snoozed_until
    about = join_parts(
        memory.id,
        when(memory.created_at),
        phrase("said by {who}", who=term(memory.trust)),
        phrase("confidence {n:.2f}", n=memory.confidence),
        phrase("offered {n} ×", n=memory.offered) if memory.offered else "",
        phrase("put off until {time}", time=when(until)) if until else "",
    )
    mark = term(kinds.word_of(memory.kind, memory.metadata))
    return ListEntry(mark, memory.text, (about,), color_of(memory))


def _ask(mind: Mind, memories: Sequence[Memory]) -> None:
    """Ask about each in turn, until done or stopped."""
    keys = join_parts(*(f"{key} {phrase(meaning)}" for key, meaning in _ANSWERS.items()))
    statements = count_things(len(memories), "statement")
    say(phrase("{statements} to answer: {keys}", statements=statements, keys=keys))
    for memory in memories:
        say()
        show_pending([memory], words=mind.settings.vocabulary)
        answer = click.prompt(phrase("Keep it?"), type=click.Choice(list(_ANSWERS)), default="s")
        if answer == "q":
            return
        if answer == "y":
            say(describe_decision(mind.confirm(memory.id)))
        elif answer == "n":
            mind.ignore(memory.id)
            say(phrase("Not kept."))
        elif answer == "l":
            say(_put_off(mind.snooze(memory.id)))


def describe_decision(settled: Decision) -> str:
    """The result of a confirmation."""
    if settled.memory is None:
        return phrase("Not kept: {reason}", reason=sentence(settled.reason))
    if settled.outcome == "same":
        return phrase("Already known: {text}", text=settled.memory.text)
    if settled.replaced:
        others = count_things(len(settled.replaced), "other")
        return phrase("Kept, in place of {others}.", others=others)
    return phrase("Kept.")


def _put_off(snoozed: Memory) -> str:
    return phrase("You will be asked again after {time}.", time=when(snoozed.snoozed_until))


def confirm(state: State, memory: tuple[str, ...]) -> None:
    do_each(state, memory, lambda mind, id_: mind.confirm(id_), describe_decision)


def ignore(state: State, memory: tuple[str, ...]) -> None:
    do_each(state, memory, lambda mind, id_: mind.ignore(id_), lambda _: phrase("Not kept."))


def snooze(state: State, memory: tuple[str, ...]) -> None:
    do_each(state, memory, lambda mind, id_: mind.snooze(id_), _put_off)
