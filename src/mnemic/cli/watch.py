"""mnemic watch"""

from __future__ import annotations

from pathlib import Path

import click

from mnemic.cli.base import command
from mnemic.cli.jobs import Stopping
from mnemic.cli.output import answer, flat, note, say
from mnemic.cli.phrases import count_things, phrase, sentence
from mnemic.cli.state import State
from mnemic.moving.importer import Refused
from mnemic.moving.watch import Taken, TranscriptWatcher, present_places


@command("watch")
def watch(state: State, place: tuple[Path, ...], once: bool, every: float) -> None:
    """Take in the transcripts that other programs leave on this machine, as they grow.

    PLACE is a file or a folder of transcripts; without one, wherever Claude Code, Codex and Cursor
    keep theirs. They are only read. What was taken in before is not taken in again, so it can be
    stopped and started at any time. Each conversation becomes a session, such as codex:ID; learning
    from it is the work of mnemic worker. Use this or mnemic hook, not both.
    """
    places = [one.expanduser() for one in place] or present_places(Path.home())
    missing = [one for one in places if not one.exists()]
    if missing:
        raise click.UsageError(f"{missing[0]} does not exist. Name a file or a folder.")
    if not places:
        raise click.UsageError(
            "No transcripts of Claude Code, Codex or Cursor were found. Name a file or a folder."
        )

    def refuse(one: Refused) -> None:
        note(f"{one.place}: {flat(sentence(one.reason))}")

    added = 0
    with state.open(create=True, worker="none" if once else "thread") as mind, Stopping() as stop:
        watcher = TranscriptWatcher(mind, places, refuse)
        if not once and not state.json:
            listed = ", ".join(map(str, places))
            note(phrase("Watching {places}. Ctrl-C stops.", places=listed))
        while not stop.requested:
            for taken in watcher.look(lambda: stop.requested):
                added += taken.added
                _show(taken)
            if once:
                break
            stop.wait(every)
    turns = count_things(added, "turn")
    if not state.json:
        note(phrase("{turns} taken in. To learn from them now: mnemic worker --once", turns=turns)
             if once else phrase("Stopped: {turns} taken in; mnemic watch goes on from there.",
                                 turns=turns))  # fmt: skip


def _show(taken: Taken) -> None:
    turns = count_things(taken.added, "turn")
    line = phrase("{format}: {turns} from {name}", format=taken.format, turns=turns,
                  name=taken.path.name)  # fmt: skip
    answer(taken, lambda: say(line))
